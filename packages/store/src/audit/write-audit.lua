-- writeAudit: a batch of events enters the audit trail; those that are too old, or too many, leave it.
--
-- KEYS  trail    stream: one entry per batch, `upto` events were ever written with it and before it, the latest last
-- ARGV  batch    its id: sent twice, it is written once, unless another one came in between
--       count    its events
--       events   as JSON
--       most     events that are kept at most
--       kept_ms  how long they are kept
-- Returns  how many events were ever written
-- Invariant: the trail never has more than `most` events, once 200 entries for each batch have brought it there.

local trail_key = unpack(KEYS)
local batch, count, events, most, kept_ms = unpack(ARGV)

--- An entry is { id, { 'batch', its id, 'upto', number, 'events', JSON } }.
local function upto_of(entry) return tonumber(entry[2][4]) end

local latest = redis.call('XREVRANGE', trail_key, '+', '-', 'COUNT', 1)[1]
if latest and latest[2][2] == batch then return upto_of(latest) end

local upto = (latest and upto_of(latest) or 0) + count
local id = redis.call('XADD', trail_key, '*', 'batch', batch, 'upto', upto, 'events', events)
redis.call('PEXPIRE', trail_key, kept_ms)

local since_ms = tonumber(id:match('^%d+')) - kept_ms
-- A batch has at most a hundred events: so many entries may have to go for it, and a bound that was lowered is reached
-- by and by.
for _ = 1, 200 do
  local oldest = redis.call('XRANGE', trail_key, '-', '+', 'COUNT', 1)[1]
  if upto_of(oldest) > upto - most and tonumber(oldest[1]:match('^%d+')) >= since_ms then break end
  redis.call('XDEL', trail_key, oldest[1])
end
return upto
