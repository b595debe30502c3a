-- The client has answered whether a task that has spent its budget may go on: this turn goes on with the
-- work of the turn that asked.
--
-- KEYS  tasks_root     as in record-usage.lua; made from it: <task>:s, as in begin-step.lua
-- ARGV  task_id
--       fence          fencing token of the turn
--       is_allowed     '1': it may spend its budget once more, besides what is spent now; '': its client is asked again
-- Returns  continued | fenced (the turn has lost its task)
-- Invariant: an answer is counted once, and the steps of the turn that asked are those of the turn that goes on.

local tasks_root = unpack(KEYS)
local task_id, fence, is_allowed = unpack(ARGV)

--- @include "@switchyard/redis/server.lua"

local task_key = tasks_root .. task_id
local usage_key, steps_key = task_key .. ':u', task_key .. ':s'
local turn, messages, inbox = unpack(redis.call('HMGET', task_key, 'turn', 'messages', 'inbox'))
if turn ~= fence then return 'fenced' end
-- A turn that runs ends, also while Redis is full.
allow_out_of_memory(task_key)
local asked, usd, input, output = unpack(redis.call('HMGET', usage_key, 'asked', 'total microUsd', 'total inputTokens',
  'total outputTokens'))
local number = ('%d'):format(messages - inbox + 1)
-- An earlier attempt at this turn has done it, and may have asked again; or the client has named another budget since.
if not asked or tonumber(asked) >= tonumber(number) then return 'continued' end
if redis.call('HGET', steps_key, 'message') == asked then redis.call('HSET', steps_key, 'message', number) end
if is_allowed == '1' then
  redis.call('HSET', usage_key, 'base microUsd', usd or '0', 'base tokens',
    ('%.0f'):format((input or 0) + (output or 0)))
  redis.call('HDEL', usage_key, 'asked')
else
  redis.call('HSET', usage_key, 'asked', number)
end
return 'continued'
