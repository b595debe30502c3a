-- Ends a run of a turn that waits. The turn goes on from its top when its time has come, or an event.
--
-- KEYS  <record>
--       queue_root   root of the keys of its agent's own queue, as in add-jobs.lua
-- ARGV  <record>
--       fence        fencing token of the turn
--       published    number of events that the run has published
--       wait         key of the last wait that it began; '' none
--       due_ms       when the first of its waits ends, since 1970; -1 never
--       waits        what it waits for, as JSON, for clients
--       seen         number of messages of the task that the turn knows of; '' if it does not ask for others
--       notes        as in append.lua; '' none
--       calls        tasks of other agents that it waits for, one a line: id, and 1 if the wait goes on while the task
--                    waits for an authorization, else 0; '' none
-- EACH  event        name of an event that it waits for
--       schema       JSON Schema of its data; '' any data
-- Returns  suspended (or it has a new job already: a wait has ended since it began) | canceled | fenced
--       | gap (as in append.lua, also if the wait is lost, and with it perhaps a callback URL)
-- Invariant: the run ends in the step in which its turn is listed to be resumed. No attempt is spent. An event that is
-- given before this step is not missed, nor the end of a called task, nor a cancel, nor a message to a turn that takes
-- messages.

--- @include "../record/record.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "../record/suspended.lua"
--- @include "outcome.lua"
--- @include "../record/note.lua"
--- @include "../record/given-events.lua"

local queue_root = unpack(KEYS, 5)
local fence, published, wait, due_ms, waits, seen, notes, calls = unpack(ARGV, 7)

local steps_key = task_key .. ':s'
local record = load_record(task_id, task_key)
local verdict = turn_refusal(record, fence, 'suspended')
if verdict then return verdict end
if is_behind(record, published) then return 'gap' end
local ends, result = unpack(redis.call('HMGET', steps_key, 'until ' .. wait, 'result ' .. wait))
if wait ~= '' and not (ends or result) then return 'gap' end

allow_out_of_memory(task_key)
keep_notes(record, fence, notes)
if record.cancel ~= '' then
  finish(record, 'X')
  verdict = 'canceled'
else
  record.turn, record.token, record.changes.turn_end, record.attempts = '', '', 'w', record.attempts - 1
  due_ms = tonumber(due_ms)
  local has_ended = due_ms >= 0 and due_ms <= now_ms()
    or seen ~= '' and record.while_working == 's' and tonumber(seen) ~= record.messages
  open_message(steps_key, number_of_message(record))
  record.has_other_keys = 1
  for _, name in ipairs(redis.call('HKEYS', steps_key)) do
    if name:sub(1, 8) == 'awaited ' then redis.call('HSET', steps_key, name, '') end
    if name:sub(1, 7) == 'schema ' then redis.call('HDEL', steps_key, name) end
  end
  for i = 15, #ARGV, 2 do
    local event, schema = ARGV[i], ARGV[i + 1]
    if first_event(steps_key, event) then has_ended = true end
    redis.call('HSET', steps_key, 'awaited ' .. event, '1')
    if schema ~= '' then redis.call('HSET', steps_key, 'schema ' .. event, schema) end
  end
  for called, skips_auth in calls:gmatch('(%S+) (%d)') do
    local called_key = task_key:sub(1, -#task_id - 1) .. called
    local state, inbox, wakes = unpack(redis.call('HMGET', called_key, 'state', 'inbox', 'wakes'))
    if not state or is_terminal(state) or state == 'i' and not inbox or state == 'a' and skips_auth == '0' then
      has_ended = true
    else
      wakes = wakes or ''
      if not wakes:find(' ' .. task_id, 1, true) then wakes = wakes .. ' ' .. task_id end
      redis.call('HSET', called_key, 'wakes', wakes, 'has_other_keys', '1')
    end
  end
  if has_ended then resume(record, queue_root)
  else suspend(record, waits, due_ms >= 0 and ('%.0f'):format(due_ms) or NEVER_MS) end
  verdict = 'suspended'
end
end_job(record, queue_root)
commit(record)
--- @include "../queue/finish-jobs.lua"
finish_jobs({ record.changes.ended_job })
return verdict
