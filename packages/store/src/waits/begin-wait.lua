-- Begins a wait of a turn, or finds one that began in an earlier run of the turn. How a wait ended is
-- remembered as the result of a step is.
--
-- KEYS  <record>      and the steps of the task, as in begin-step.lua and given-events.lua
-- ARGV  <record>
--       fence         fencing token of the turn
--       key           of the wait
--       known         as in begin-step.lua
--       delay_ms      how long it lasts; '' it has no end, or until_ms says when
--       until_ms      when it ends, since 1970; '' see delay_ms
--       event         name of the event that ends it; '' none does
--       max_results   as in end-step.lua
-- Returns  { verdict, result (JSON), ms when it ends at the latest (-1 never), ms until then }
--       done (result: '' its time has come, or {"data":…} the event) | waits | full (as in end-step.lua)
--       | fenced (another run owns the task) | canceling (the task will end) | gap (as in begin-step.lua)
-- Invariant: a wait that began ends at the time that was computed when it began, however often its turn runs again. An
-- event ends one wait. A wait ends once, in one way.

--- @include "../record/record.lua"
--- @include "../record/note.lua"
--- @include "../record/given-events.lua"

local fence, key, known, delay_ms, until_ms, event, max_results = unpack(ARGV, 7)

local steps_key = task_key .. ':s'
local record = load_record(task_id, task_key)
if not record or fence ~= record.turn then return { 'fenced', '', -1, -1 } end

local number = number_of_message(record)
local of, result, ends, known_result = unpack(redis.call('HMGET', steps_key, 'message', 'result ' .. key,
  'until ' .. key, 'result ' .. known))
local are_old = tonumber(of or 0) ~= number
if known ~= '' and (are_old or not known_result) then return { 'gap', '', -1, -1 } end
if are_old then result, ends = nil, nil end
if result then return { 'done', result, -1, -1 } end
if record.cancel ~= '' then return { 'canceling', '', -1, -1 } end

redis.call('HSET', task_key, 'has_other_keys', 1)
open_message(steps_key, number)
if not ends then
  ends = until_ms ~= '' and until_ms or delay_ms ~= '' and ('%.0f'):format(now_ms() + delay_ms) or '-1'
  redis.call('HSET', steps_key, 'until ' .. key, ends)
  if event ~= '' then redis.call('HSETNX', steps_key, 'awaited ' .. event, '') end
  note(task_key, fence, 'wait+ ' .. key)
end

local function end_wait_with(outcome, bytes)
  redis.call('HSET', steps_key, 'result ' .. key, outcome)
  redis.call('HINCRBY', steps_key, 'bytes', bytes)
  redis.call('HDEL', steps_key, 'until ' .. key)
  note(task_key, fence, 'wait- ' .. key)
  return { 'done', outcome, -1, -1 }
end

local given, data
if event ~= '' then given, data = first_event(steps_key, event) end
if given then
  -- The bytes of the event were counted when it was given.
  remove_event(steps_key, event, given)
  return end_wait_with('{"data":' .. data .. '}', #key)
end
ends = tonumber(ends)
if ends >= 0 and ends <= now_ms() then
  if tonumber(redis.call('HGET', steps_key, 'bytes') or 0) + #key > tonumber(max_results) then
    return { 'full', '', -1, -1 }
  end
  return end_wait_with('', #key)
end
return { 'waits', '', ends, ends >= 0 and ends - now_ms() or -1 }
