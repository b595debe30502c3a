-- Adds a batch of events to the audit trail, and removes events that are too old or too many.
--
-- KEYS  trail    stream: one entry per batch, the latest last; `upto` is the number of events ever written, up to it
-- ARGV  batch    its id: a batch that is sent twice is written once, unless another one was written in between
--       count    number of its events
--       events   as JSON
--       limit    number of events that are kept at most
--       kept_ms  how long they are kept
-- Returns  the number of events ever written
-- Invariant: the trail has at most `limit` events. After it was lowered, each batch removes up to 200 entries.

local trail_key = unpack(KEYS)
local batch, count, events, limit, kept_ms = unpack(ARGV)

--- An entry is { id, { 'batch', its id, 'upto', number, 'events', JSON } }.
local function upto_of(entry) return tonumber(entry[2][4]) end

local latest = redis.call('XREVRANGE', trail_key, '+', '-', 'COUNT', 1)[1]
if latest and latest[2][2] == batch then return upto_of(latest) end

local upto = (latest and upto_of(latest) or 0) + count
local id = redis.call('XADD', trail_key, '*', 'batch', batch, 'upto', upto, 'events', events)
redis.call('PEXPIRE', trail_key, kept_ms)

local since_ms = tonumber(id:match('^%d+')) - kept_ms
-- A batch has at most a hundred events, for which as many old entries may have to be removed. 200 leave room to reach a
-- limit that was lowered.
for _ = 1, 200 do
  local oldest = redis.call('XRANGE', trail_key, '-', '+', 'COUNT', 1)[1]
  if upto_of(oldest) > upto - limit and tonumber(oldest[1]:match('^%d+')) >= since_ms then break end
  redis.call('XDEL', trail_key, oldest[1])
end
return upto
