-- Appends events of a turn that only extend one artifact, which is most of what agents publish. It writes
-- what append.lua would write, at half the cost: it makes one function, and reads few fields of the record.
--
-- KEYS  task          as in record.lua
--       events
--       push
-- ARGV  task_id       as in record.lua
--       kept_events
--       inline_bytes
--       fence         fencing token of the turn
--       number        of the first event within the turn
--       artifact      number of the artifact
--       first         how its last part begins, if that part is open as in append.lua; '' if none is
--       growth        what is appended to its parts: JSON, or text that continues the open part
--       json*         the events
-- Returns  a verdict of append.lua, then a space and '1' if a cancel waits; or nil, if the artifact's open part is
--       another, or the text would outgrow the hash: then nothing is written, and append.lua must run instead
-- Invariant: as append.lua.

local task_key, events_key, push_key = unpack(KEYS)
local task_id, kept_events, inline_bytes, fence, number, artifact, first, growth = unpack(ARGV, 1, 8)
local open_name, name = 'o' .. artifact, 'p' .. artifact

local header, cancel, webhooks, seq, turn, written, last_incarnation, open, inside, outside =
  unpack(redis.call('HMGET', task_key,
    'state', 'cancel', 'webhooks', 'seq', 'turn', 'turn_seq', 'incarnation', open_name, name, '@' .. name))
cancel, written, number = cancel and ' ' .. cancel or '', tonumber(written or 0), tonumber(number)
local last = number + #ARGV - 9

if fence ~= turn then
  local epoch, run = unpack(redis.call('HMGET', task_key, 'epoch', 'run'))
  local was_written = last <= written and epoch and fence == epoch .. '.' .. run
  if was_written then return 'more' .. cancel end
  -- A run that lost its turn still writes: the record keeps when it first did.
  if epoch then
    --- @include "@switchyard/redis/server.lua"
    redis.pcall('HSETNX', task_key, 'f' .. fence:match('^%d*'), ('%.0f'):format(now_ms()))
  end
  return 'fenced' .. cancel
end
if last <= written then return 'appended' .. cancel end
if number > written + 1 then return 'gap' .. cancel end
if number <= written or open ~= first then return end
inside = not outside and (inside or '') .. growth
if inside and #inside > tonumber(inline_bytes) then return end

--- @include "../record/add-event.lua"
local lines, before, most = {}, last_incarnation or '0', tonumber(kept_events)
-- As next_incarnation in append.lua.
local incarnation = written > 0 and last_incarnation
  or ('%d'):format(tonumber(fence:match('[^.]+$'), 36) % 60466175 + 1)
for i = 9, #ARGV do
  seq = seq + 1
  add_event(lines, events_key, before, seq, incarnation, header, ARGV[i], seq > most)
  before = incarnation
end
if outside then
  redis.call('APPEND', outside, growth)
  redis.call('HSET', task_key, 'seq', seq, 'turn_seq', last)
else
  redis.call('HSET', task_key, 'seq', seq, 'turn_seq', last, name, inside)
end
if incarnation ~= last_incarnation then redis.call('HSET', task_key, 'incarnation', incarnation) end
redis.call('SPUBLISH', events_key, lines[2] and table.concat(lines, '\n') or lines[1])
if webhooks then
  --- @include "@switchyard/redis/server.lua"
  --- @include "../record/wake-deliveries.lua"
  wake_deliveries(task_id, webhooks)
end
return 'appended' .. cancel
