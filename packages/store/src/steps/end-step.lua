-- Stores the result of a step.
--
-- KEYS  <record>      and its steps, as in begin-step.lua
-- ARGV  <record>
--       fence         fencing token of the turn
--       key           of the step
--       known         as in begin-step.lua
--       result        JSON; '' none
--       max_results   bytes that all results may have together
--       max_bytes     as in tenant-bytes.lua: results count, but only the tenant's next message is refused
-- Returns  done | full (the results of this turn are too large together) | fenced | gap (as in begin-step.lua, also if
--       the begin of the step is lost)
-- Invariant: a step keeps its first result.

--- @include "../record/record.lua"
--- @include "../record/note.lua"

local fence, key, known, result, max_results, max_bytes = unpack(ARGV, 7)
max_bytes = tonumber(max_bytes)
--- @include "../tasks/quotas/tenant-bytes.lua"

local steps_key = task_key .. ':s'
local record = load_record(task_id, task_key)
if not record or fence ~= record.turn then return 'fenced' end
local of, before, bytes, known_result = unpack(redis.call('HMGET', steps_key, 'message', 'result ' .. key, 'bytes',
  'result ' .. known))
local are_old = tonumber(of or 0) ~= record.messages - record.inbox + 1
if are_old or known ~= '' and not known_result then return 'gap' end
if before then return 'done' end
bytes = (bytes or 0) + #key + #result
if bytes > tonumber(max_results) then return 'full' end
redis.call('HSET', steps_key, 'bytes', bytes, 'result ' .. key, result)
redis.call('HDEL', steps_key, 'mark ' .. key, 'failed ' .. key)
tenant_bytes.count(record.owner:match('^[^/]*'), #key + #result)
tenant_bytes.write()
local name = key:match('^step (.*)')
if name then note(task_key, fence, 'step- ' .. name) end
return 'done'
