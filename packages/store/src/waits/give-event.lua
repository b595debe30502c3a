-- Gives a task an event from outside. A suspended turn that waits for it resumes.
--
-- KEYS  <record>     and the steps of the task, as in given-events.lua
--       queue_root   root of the keys of its agent's queue, as in add-jobs.lua
-- ARGV  <record>
--       owner
--       name         of the event; '' callback says it
--       callback     as in make-callback.lua; '' none
--       id           an event is given once under an id
--       has_own_id   '1': its giver has chosen the id; '' an event with the same name and data that is not taken yet is
--                    the same one
--       data         JSON
--       checked      schema that the data match; '' they were not checked
--       sees_hidden  as in cancel.lua
--       max_events   most events that wait for their turn
--       max_results  as in end-step.lua
--       max_bytes    as in tenant-bytes.lua
-- Returns  { verdict }; with `unknown` the names of the events that the turn waits for, with `unchecked` the schema
--       given (it is kept) | resumed (it is kept, and the turn has a job)
--       | known (it was given before, perhaps to a turn that has ended)
--       | unchecked (the suspended turn waits for data of this schema)
--       | unknown (the suspended turn waits for others, and has not named this one)
--       | full (too many events wait, or the results are too large together) | too-many-bytes-of-tenant
--       | idle (no message is being worked on)
--       | canceling | terminal | missing
-- Invariant: an event that is given is taken once, by the first wait for its name. It is kept until then, or until its
-- turn ends.

--- @include "../record/record.lua"
--- @include "../record/commit.lua"
--- @include "../record/rules.lua"
--- @include "../record/suspended.lua"
--- @include "../record/note.lua"
--- @include "../record/given-events.lua"

local queue_root = unpack(KEYS, 5)
local owner, name, callback, id, has_own_id, data, checked, sees_hidden = unpack(ARGV, 7, 14)
local max_events, max_results, max_bytes = unpack(ARGV, 15)
max_bytes = tonumber(max_bytes)
--- @include "../tasks/quotas/tenant-bytes.lua"

local steps_key = task_key .. ':s'
local record = load_record(task_id, task_key)
if not record or record.owner ~= owner then return { 'missing' } end
if (record.state == 'h' or record.state == 'M') and sees_hidden ~= '1' then return { 'missing' } end
local refusal = is_terminal(record.state) and 'terminal' or record.cancel ~= '' and 'canceling'
  or record.inbox == 0 and 'idle'
if refusal then
  -- The event may have ended the turn before its giver had an answer: the giver repeats it.
  return { redis.call('HEXISTS', steps_key, 'id ' .. id) == 1 and 'known' or refusal }
end

local number = number_of_message(record)
local of = redis.call('HGET', steps_key, 'message')
local is_same = tonumber(of or 0) == number
-- The client's answer waits for its turn, which goes on with these steps and events: see ../turns/continue-work.lua.
if of and not is_same and redis.call('HGET', task_key .. ':u', 'asked') == of then return { 'idle' } end
if callback ~= '' then
  name = is_same and redis.call('HGET', steps_key, 'callback ' .. callback)
  if not name then return { 'missing' } end
end
if is_same and redis.call('HEXISTS', steps_key, 'id ' .. id) == 1 then return { 'known' } end
local pending = is_same and redis.call('HGET', steps_key, 'pending ' .. name) or ''
for before in has_own_id == '' and pending:gmatch('%d+') or function() end do
  if redis.call('HGET', steps_key, 'given ' .. before) == data then return { 'known' } end
end

local awaited = is_same and redis.call('HGET', steps_key, 'awaited ' .. name)
if record.waits ~= '' and not awaited then
  local names, fields = {}, redis.call('HGETALL', steps_key)
  for i = 1, #fields, 2 do
    if fields[i]:sub(1, 8) == 'awaited ' and fields[i + 1] == '1' then names[#names + 1] = fields[i]:sub(9) end
  end
  return { 'unknown', names }
end

local schema = record.waits ~= '' and awaited == '1' and redis.call('HGET', steps_key, 'schema ' .. name)
if schema and schema ~= checked then return { 'unchecked', { schema } } end

local kept, bytes = 0, 0
if is_same then kept, bytes = unpack(redis.call('HMGET', steps_key, 'kept_events', 'bytes')) end
local size = #name + #id + #data
if tonumber(kept or 0) >= tonumber(max_events) or (bytes or 0) + size > tonumber(max_results) then return { 'full' } end
local tenant = owner:match('^[^/]*')
if tenant_bytes.exceed(tenant, size) then return { 'too-many-bytes-of-tenant' } end
tenant_bytes.count(tenant, size)

redis.call('HSET', task_key, 'has_other_keys', 1)
open_message(steps_key, number)
local event = redis.call('HINCRBY', steps_key, 'last_event', '1')
redis.call('HINCRBY', steps_key, 'kept_events', '1')
redis.call('HINCRBY', steps_key, 'bytes', size)
redis.call('HSET', steps_key, 'given ' .. event, data, 'pending ' .. name, pending .. ' ' .. event, 'id ' .. id, '1')
tenant_bytes.write()
note(task_key, record.epoch .. '.', 'event ' .. name)
local resumes = record.waits ~= '' and awaited == '1'
if resumes then resume(record, queue_root) end
commit(record)
return { resumes and 'resumed' or 'given' }
