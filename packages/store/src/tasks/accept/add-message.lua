-- Accepts a message of a client, or of an agent, for an existing task. make-tasks.lua makes tasks.
--
-- KEYS  <record>
--       message_id      what this principal sent under this messageId (string)
--       queue_root      root of the keys of its agent's queue, as in add-jobs.lua
--       caller?         task of the calling agent, see caller.lua
-- ARGV  <record>
--       idempotency_ms  ms the messageId is remembered
--       caller_fence    as in caller.lua; '' if no agent calls
--       call_mode       as in caller.lua; '' if no agent calls
--       max_calls       as in caller.lua; '' if no agent calls
--       owner
--       context         that the client named, as JSON text; '' if none
--       fingerprint     of the body
--       message         as JSON, without its ids and closing brace
--       entry           of the inbox, without the message, as in make-tasks.lua
--       ttl_ms          ms within which its turn must begin, if the task waits for it; ''
--       level           of the task's jobs from now on, as in add-jobs.lua; '': as before
--       max_inbox       number of messages that may wait, that of the running turn included
--       max_history     bytes of the history
--       config_id       of a webhook that gets the events from this message on; '' none
--       encrypted       its configuration; '' none
--       max_webhooks    number of webhooks that a task may have
--       max_bytes       as in tenant-bytes.lua
--       only_waiting    1: accept only if the task waits for its client; else ''
--       cancels         channel that wakes the worker of the running turn, as in cancel.lua
--       if_seq?         only if this is the number of the task's last event; left out: whatever it is
-- Returns  { verdict … } and, when the message is or was accepted: task id, context, number of the message in its task,
--          seq, job that runs it (0: it waits behind other messages, whose job runs it, too; or, of a duplicate,
--          the task has none), and timestamp of the task's status if it has a new job, else ''; the incarnation of the
--          task's last event; of a duplicate the skill in whose queue its jobs are, or '', and their
--          level, or ''
--       accepted | duplicate (the first answer again)
--       | forgotten (the message was accepted, and its task is gone; and: task id, number of the message)
--       | conflict (this messageId with another body) | missing | context-mismatch | terminal | canceling | inbox-full
--       | history-full | too-many-webhooks | too-many-bytes-of-tenant | not-waiting
--       | other-seq (and the number of the last event: see if_seq)
--       | working (the agent takes no message while its turn runs) | waits (for its time: see scheduled-tasks.lua)
--       | fenced (the caller has lost its turn) | caller-canceling (its task is about to end) | too-many-calls
-- Invariant: a messageId of a principal is accepted once. One round trip, O(message).

local message_id_key, queue_root, caller_key = unpack(KEYS, 5, 7)
local idempotency_ms, caller_fence, call_mode, max_calls = unpack(ARGV, 7, 10)
local owner, context, fingerprint, message, entry, ttl_ms, level = unpack(ARGV, 11, 17)
local max_inbox, max_history, config_id, encrypted, max_webhooks, max_bytes, only_waiting, cancels, if_seq =
  unpack(ARGV, 18, 26)

--- @include "../../record/record.lua"
--- @include "caller.lua"

local refusal = caller_key and caller_refusal()
if refusal then return { refusal } end

-- Checked before the state: a retry gets the first answer, even if the task has ended since.
if redis.call('EXISTS', message_id_key) == 1 then
  local tasks_root = task_key:sub(1, -#task_id - 1)
  --- @include "first-answer.lua"
  return first_answer(message_id_key, fingerprint)
end

--- @include "../../record/commit.lua"
--- @include "../../record/rules.lua"
--- @include "../../record/suspended.lua"
--- @include "../../record/inbox-entry.lua"
local webhooks_key = task_key .. ':w'
--- @include "../../record/delivery-queues.lua"
max_bytes = tonumber(max_bytes)
--- @include "../quotas/tenant-bytes.lua"
--- @include "retry-name.lua"

local has_room_for_it, ended_calls
if caller_key then has_room_for_it, ended_calls = has_room_for_call() end
if caller_key and not has_room_for_it then return { 'too-many-calls' } end
local record = load_record(task_id, task_key)
if not record or record.owner ~= owner then return { 'missing' } end
-- A client that was not given the task must not find it by a guessed id: see set-visibility.lua.
if record.state == 'h' or record.state == 'M' then return { 'missing' } end
if only_waiting ~= '' and not is_waiting(record.state) then return { 'not-waiting' } end
if context ~= '' and record.context ~= context then return { 'context-mismatch' } end
if if_seq and tonumber(if_seq) ~= record.seq then return { 'other-seq', record.seq } end
if is_terminal(record.state) then return { 'terminal' } end
if record.later ~= '' then return { 'waits' } end
-- A pending cancel always ends the task, so the message would be dropped.
if record.cancel ~= '' then return { 'canceling' } end
-- A suspended turn takes messages as a running one. An agent that has asked its client a question takes the answer.
local policy_while_running = (record.turn ~= '' or record.waits ~= '') and record.while_working or ''
if policy_while_running == 'r' and not is_waiting(record.state) then return { 'working' } end
if record.inbox >= tonumber(max_inbox) then
  -- Messages that the running turn was given do not wait (read-waiting.lua): others are accepted in their place, until
  -- the inbox holds eight times as many messages as may wait.
  local fence, given = (redis.call('HGET', task_key, 'given') or ''):match('^(%S+) (%d+)$')
  if fence ~= record.turn then given = 0 end
  if record.inbox - given >= tonumber(max_inbox) or record.inbox >= 8 * max_inbox then return { 'inbox-full' } end
end
local long_history = record.loaded[HISTORY]
local is_long = long_history and redis.call('STRLEN', long_history) + #message > tonumber(max_history)
if is_long then return { 'history-full' } end
if config_id ~= '' and not has_room(config_id, max_webhooks) then return { 'too-many-webhooks' } end
if not caller_key then
  local tenant, bytes = owner:match('^[^/]*'), #message + #entry
  if tenant_bytes.exceed(tenant, bytes) then return { 'too-many-bytes-of-tenant' } end
  tenant_bytes.count(tenant, bytes)
end

redis.call('SET', message_id_key, fingerprint .. ' ' .. task_id .. ' ' .. record.messages + 1, 'PX', idempotency_ms)
message = message .. ',"taskId":"' .. task_id .. '","contextId":"' .. record.context .. '"}'
redis.call('RPUSH', task_key .. ':i', with_message(entry, message))
tenant_bytes.write()
record.inbox = record.inbox + 1
if caller_key then add_call(task_id, owner, ended_calls) end
record.messages = record.messages + 1
if level ~= '' then record.level = level == 'normal' and '' or level end
add_to_history(record, message)
local retry_name = idempotency_key_in(message_id_key)
if retry_name then
  local others = redis.call('HGET', task_key, 'retry_names')
  record.changes.fields.retry_names = others and others .. '\n' .. retry_name or retry_name
end

-- The webhook is created before any event, in the same step, so that it misses none.
local number, cursor, replaced
if config_id ~= '' then
  number, cursor, replaced = add_webhook(config_id, encrypted, cursor_at(record.seq, record.incarnation))
  record.webhooks, record.has_other_keys = without(record.webhooks, replaced or '') .. ' ' .. number, 1
end

local job, status_time = 0, ''
if record.waits ~= '' then
  record.inbox_version = new_incarnation()
  -- The agent decides what the message changes: its turn runs from the top, and is given it.
  if policy_while_running == 's' then resume(record, queue_root) end
elseif record.job ~= 0 then record.inbox_version = new_incarnation()
else
  enqueue(record, queue_root, call_mode == 'w')
  if call_mode == 'w' then redis.call('HSET', task_key, 'awaited', record.job) end
  if ttl_ms ~= '' then
    --- @include "../../record/begin-by.lua"
    begin_within(record, ttl_ms, record.state)
  end
  -- The task leaves input-required at once: a poller must not read the old question as the answer to this message.
  emit_status(record, 's')
  job, status_time = record.job, timestamp(now_ms())
end
commit(record)
if policy_while_running == 's' then redis.call('SPUBLISH', cancels, 'steer ' .. task_id) end
if number and not is_at(cursor, record.seq, record.incarnation) then mark_due(number, now_ms()) end
return { 'accepted', task_id, record.context, record.messages, record.seq, job, status_time, record.incarnation }
