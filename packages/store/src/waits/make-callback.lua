-- Lets everyone who knows a token give a task an event. The token is remembered as the result of a step
-- is, and holds until its turn ends.
--
-- KEYS  <record>     and the steps of the task, as in begin-step.lua and given-events.lua
-- ARGV  <record>
--       fence        fencing token of the turn
--       key          of the callback
--       known        as in begin-step.lua
--       event        name of the event
--       token        a new one
--       hash         of it
-- Returns  { verdict, token of the callback }: made | fenced | canceling | gap (as in
--       begin-step.lua)
-- Invariant: a callback has one token in all runs of its turn.

--- @include "../record/record.lua"
--- @include "../record/given-events.lua"

local fence, key, known, event, token, hash = unpack(ARGV, 7)

local steps_key = task_key .. ':s'
local record = load_record(task_id, task_key)
if not record or fence ~= record.turn then return { 'fenced', '' } end
local number = number_of_message(record)
local of, made, known_result = unpack(redis.call('HMGET', steps_key, 'message', 'result ' .. key, 'result ' .. known))
local are_old = tonumber(of or 0) ~= number
if known ~= '' and (are_old or not known_result) then return { 'gap', '' } end
if made and not are_old then return { 'made', made } end
if record.cancel ~= '' then return { 'canceling', '' } end
redis.call('HSET', task_key, 'has_other_keys', 1)
open_message(steps_key, number)
redis.call('HSET', steps_key, 'result ' .. key, token, 'callback ' .. hash, event)
redis.call('HSETNX', steps_key, 'awaited ' .. event, '')
return { 'made', token }
