-- accept: a message of a client enters a task, or makes one.
--
-- KEYS  1-6 as in record.lua   7 what this principal sent under this messageId (string)   8 root of the queue's keys, as in add-job.lua
--       9 if an agent calls: as in caller.lua
-- ARGV  1-6 as in record.lua   7 owner   8 context, as JSON text: of the new task; else what the client named, '' if nothing
--       9 '1': the message makes the task   10 fingerprint of the body   11 message as JSON, without its ids and closing brace
--       12 inbox entry: messageId as JSON, line break, what the turn is given   13 messages that may wait
--       14 ms the messageId is remembered   15 options of the job, as in add-job.lua   and, if a webhook is to be told of all that comes of it,
--       16 its id   17 its config, sealed   18 webhooks that a task may have
--       or, if an agent calls, 16-18 as in caller.lua
-- Returns  verdict … and, when the message is or was accepted: task id, context, number of the message in its task, seq,
--          job (of a duplicate: 0 if the task has none), timestamp of the status
--       scheduled | queued (whoever runs the job will read it) | duplicate (the first answer again)
--       | conflict (this messageId with another body) | missing | context-mismatch | terminal | canceling | inbox-full | too-many-webhooks
--       | fenced (the caller has lost its turn) | caller-canceling (its task is about to end) | too-many-calls
-- Invariant: a messageId of a principal is accepted once. One round trip, O(message).

local task_id = ARGV[1]
local owner, context, makes_task, fingerprint, message, entry, max_inbox, idempotency_ms = unpack(ARGV, 7, 14)
local config_id, sealed, max_webhooks = unpack(KEYS[9] and {} or ARGV, 16, 18)

--- @include "../calls/caller.lua"

local refusal = caller_key and refuse_caller()
if refusal then return { refusal } end

-- Before the state is looked at: a retry gets the first answer, also when the task has ended since.
local known = redis.call('GET', KEYS[7])
if known then
  local known_print, known_id, number = known:match('^(%S+) (%S+) (%d+)$')
  if known_print ~= fingerprint then return { 'conflict' } end
  local key = KEYS[1]:sub(1, -#task_id - 1) .. known_id
  local seq, job, its_context = unpack(redis.call('HMGET', key, 'seq', 'scheduled', 'context'))
  if not seq then return { 'missing' } end
  -- A write, so that whoever waits for replicas waits for what the first answer may have waited for in vain.
  redis.call('PEXPIRE', KEYS[7], idempotency_ms)
  return { 'duplicate', known_id, its_context, tonumber(number), tonumber(seq), tonumber(job or 0), '' }
end

if caller_key and not has_room_for_call() then return { 'too-many-calls' } end
if makes_task == '1' then
  --- @include "make-task.lua"
end

--- @include "../redis/lua/record.lua"
--- @include "../redis/lua/rules.lua"
--- @include "../push/lanes.lua"

local record = load_record()
if not record or record.owner ~= owner then return { 'missing' } end
if context ~= '' and record.context ~= context then return { 'context-mismatch' } end
if is_terminal(record.state) then return { 'terminal' } end
-- It would be dropped with certainty: a pending cancel always ends the task.
if record.cancel ~= '' then return { 'canceling' } end
if inbox_length() >= tonumber(max_inbox) then return { 'inbox-full' } end
if config_id and not has_room(config_id, max_webhooks) then return { 'too-many-webhooks' } end

redis.call('SET', KEYS[7], fingerprint .. ' ' .. task_id .. ' ' .. record.accepted + 1, 'PX', idempotency_ms)
inbox_count = redis.call('RPUSH', inbox_key, entry)
if caller_key then record_call(owner) end
record.accepted = record.accepted + 1
remember(message .. ',"taskId":"' .. task_id .. '","contextId":"' .. record.context .. '"}')

-- Before anything is said, and in the same step: it misses nothing.
local lane, place, replaced
if config_id then
  lane, place, replaced = add_webhook(config_id, sealed, record.seq)
  record.lanes = without_lane(record.lanes, replaced or '') .. ' ' .. lane
end

local verdict, job = 'queued', 0
if record.scheduled == 0 then
  schedule(record, KEYS[8], ARGV[15], manner == 'w')
  if manner == 'w' then redis.call('HSET', task_key, 'awaited', record.scheduled) end
  -- Leaves input-required at once: a poller must not take the old question for the answer to this message.
  say_status(record, 's')
  verdict, job = 'scheduled', record.scheduled
end
commit(record)
if lane and seq_of(place) < record.seq then mark_lane(lane, now_ms()) end
return { verdict, task_id, record.context, record.accepted, record.seq, job, timestamp(now_ms()) }
