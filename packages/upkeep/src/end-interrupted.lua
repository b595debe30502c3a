-- Cancels a task that has waited for its client for too long.
--
-- KEYS  <record>       and, made from the outbox's, <outbox>:interrupted (zset: task → since when it waits)
-- ARGV  <record>
--       claimed_ms     the score that the claim gave it, see claim.lua
--       reason         as JSON text, for the client
-- Returns  ended | idle (it does not wait, or waits again since, or another process has claimed it)
-- Invariant: a task in which a message waits, or whose turn is open, goes on.

--- @include "@switchyard/store/record/record.lua"
--- @include "@switchyard/store/record/commit.lua"
--- @include "@switchyard/store/record/rules.lua"

local claimed_ms, reason = unpack(ARGV, 7)
local interrupted_key = outbox_key .. ':interrupted'

local since = redis.call('ZSCORE', interrupted_key, task_id)
if not since or tonumber(since) ~= tonumber(claimed_ms) then return 'idle' end
allow_out_of_memory(task_key)
local record = load_record(task_id, task_key)
if not record or not is_waiting(record.state) or record.inbox > 0 then
  redis.call('ZREM', interrupted_key, task_id)
  return 'idle'
end
local message = '{"messageId":"' .. task_id .. '.interrupted.' .. record.seq
  .. '","role":"ROLE_AGENT","parts":[{"text":' .. reason .. '}]}'
add_to_history(record, message)
finish(record, 'X', { message = message })
commit(record)
return 'ended'
