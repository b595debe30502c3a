-- Begins a step of a turn: work that is not done again when the turn is retried.
--
-- KEYS  <record>      and, made from the task's key, its steps <task>:s (hash: `message` number of the message that
--                     they belong to, `bytes` of all results, `result <key>` of a step that is done, `mark <key>` of
--                     a step that is not (see append.lua), `failed <key>` attempt at the turn and failed attempts at
--                     the step in it (see postpone-step.lua), `begun` number of steps that have begun, `order <key>`
--                     the step's place among them)
-- ARGV  <record>
--       fence         fencing token of the turn
--       key           of the step
--       known         key of the last result of a step or a wait that this run of the turn knows; '' none
-- Returns  { verdict, result (JSON; '' none) | mark ('' if nothing was published), failed attempts at the step }
--       done | run | fenced (another run owns the task) | canceling (the task will end: do not run the step)
--       | gap (a fail-over lost a result that the run knows: run the turn again)
-- Invariant: only the open turn begins steps. The results are those of the message that it works on.

--- @include "../record/record.lua"
--- @include "../record/note.lua"

local fence, key, known = unpack(ARGV, 7)
local name = key:match('^step (.*)')

local steps_key = task_key .. ':s'
local record = load_record(task_id, task_key)
if not record or fence ~= record.turn then return { 'fenced', '', 0 } end

local number = record.messages - record.inbox + 1
local of, result, mark, failed, begun, order, known_result = unpack(redis.call('HMGET', steps_key, 'message',
  'result ' .. key, 'mark ' .. key, 'failed ' .. key, 'begun', 'order ' .. key, 'result ' .. known))
local are_old = tonumber(of or 0) ~= number
if known ~= '' and (are_old or not known_result) then return { 'gap', '', 0 } end
if are_old then result, mark, failed, begun, order = nil, nil, nil, nil, nil end
-- A result is returned even while a cancel waits: the agent may need it to clean up.
if result then
  if name then note(task_key, fence, 'step= ' .. name) end
  return { 'done', result, 0 }
end
if record.cancel ~= '' then return { 'canceling', '', 0 } end
redis.call('HSET', task_key, 'has_other_keys', 1)
if are_old then redis.call('DEL', steps_key) end
if not order then
  begun = (begun or 0) + 1
  redis.call('HSET', steps_key, 'message', number, 'begun', begun, 'order ' .. key, begun)
end
if name then note(task_key, fence, 'step+ ' .. name) end
return { 'run', mark or '', tonumber((failed or ''):match('^' .. record.attempts .. ' (%d+)$') or 0) }
