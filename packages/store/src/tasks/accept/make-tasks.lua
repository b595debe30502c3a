-- Accepts messages that make tasks: one or several of clients, or one of a calling agent.
--
-- KEYS  tasks_root      as in append.lua
--       outbox
--       index_root
--       push
--       caller?         task of the agent that calls, see caller.lua
-- ARGV  sweep_after_ms  as in record.lua
--       kept_events
--       replay_ms
--       retention_ms
--       inline_bytes
--       idempotency_ms  ms a messageId is remembered
--       caller_fence    as in caller.lua; '' if no agent calls
--       call_mode       as in caller.lua; '' if no agent calls
--       max_calls       as in caller.lua; '' if no agent calls
--       max_open        as in quotas.lua
--       max_kept        as in quotas.lua
--       max_open_of_tenant  as in quotas.lua
--       max_bytes       as in quotas.lua
--       max_scheduled   as in quotas.lua
--       drop_after_ms   as in quotas.lua
-- EACH  task_id         of the task that the message makes
--       owner
--       context         as JSON text
--       message_id_key  what this principal sent under this messageId (string)
--       fingerprint     of the body
--       body            the message as JSON, without its ids and closing brace
--       entry           of the inbox, without the message: messageId as JSON, line break, the rest of the turn's input
--                       as JSON
--       queue_root      root of the queue's keys, as in add-jobs.lua
--       max_waiting     jobs that may wait in its queue; 0: no limit
--       state           its letter: s, or h to hide it until the agent's first event, which may be a plain message
--       request         parameters of the request, to send the message again: see KeptRequest; '' none
--       more_count      number of the arguments that follow; most messages have none
--       more*           name and value of each:
--                       config_ids, encrypted: ids and configurations of webhooks that get all events of the task, one
--                         a line; hold_ms: how long they wait for the agent's first event before they get the task
--                       has_steps: results of steps were copied for it, see copy-steps.lua
--                       skill: whose queue it enters, instead of the agent's
--                       ttl_ms: ms within which its turn must begin, see begin-by.lua
--                       level: of its jobs, as in add-jobs.lua, if it is not normal
--                       scheduled_ms: ms when it enters the queue, see scheduled-tasks.lua; schedule: its metadata, as
--                         JSON; previous_id: previous task of its schedule
-- Returns  for each message, as add-message.lua, or the refusal of quotas.lua: too-many-open | too-many-kept
--          | too-many-open-of-tenant | too-many-bytes-of-tenant | too-many-scheduled | overloaded
--       missing: the steps that were copied for the task are gone. Or the previous task of its schedule is gone, or
--          has a next task already, or waits
-- Invariant: a messageId of a principal is accepted once. Copied steps are kept as long as their task. A task has one
-- next task at most. One round trip, O(messages).
--
-- Most messages take this path. It writes what record.lua and commit.lua would write for a new task, with fewer
-- commands (docs/adr/0019). Values that tasks share are written once. The first event of a new task is not published:
-- it has no subscriber yet, except a webhook that was created with it.

local tasks_root, outbox_key, index_root, push_key, caller_key = unpack(KEYS)
local sweep_after_ms, _, _, retention_ms, inline_bytes, idempotency_ms = unpack(ARGV, 1, 6)
local caller_fence, call_mode, max_calls = unpack(ARGV, 7, 9)
local max_open, max_kept, max_open_of_tenant, max_bytes, max_scheduled, drop_after_ms = unpack(ARGV, 10, 15)
-- An argument is converted where it is read: most are not.
local most_inline_bytes = inline_bytes + 0
-- Where the first message begins in ARGV, and how many arguments each has without `more`.
local FIRST, SIZE = 16, 12

--- @include "@switchyard/redis/server.lua"

local add_called_task, has_room
if caller_key then
  --- @include "caller.lua"
  local refusal = caller_refusal()
  if refusal then return { { refusal } } end
  local ended
  has_room, ended = has_room_for_call()
  add_called_task = function(task_id, owner) add_call(task_id, owner, ended) end
end

local messages, message_id_keys, has_more = {}, {}, false
local at, last = FIRST, #ARGV
while at <= last do
  local task_id, owner, context, message_id_key, fingerprint, body, entry, queue_root, max_waiting, state, request,
    more_count = unpack(ARGV, at, at + SIZE - 1)
  local message = {
    task_id = task_id, owner = owner, context = context, message_id_key = message_id_key, fingerprint = fingerprint,
    body = body, entry = entry, queue_root = queue_root, max_waiting = max_waiting + 0, state = state,
    request = request,
  }
  at = at + SIZE
  if more_count ~= '0' then
    for name_at = at, at + more_count - 1, 2 do message[ARGV[name_at]] = ARGV[name_at + 1] end
    at, has_more = at + more_count, true
  end
  messages[#messages + 1], message_id_keys[#message_id_keys + 1] = message, message_id_key
end

-- A message may be a retry of an earlier one, or of another one in this call.
local known = redis.call('MGET', unpack(message_id_keys))
local new, retries, first_of = {}, {}, {}
for n = 1, #messages do
  local message_id_key = message_id_keys[n]
  if known[n] or first_of[message_id_key] then retries[#retries + 1] = n
  else new[#new + 1], first_of[message_id_key] = n, n end
end
if caller_key and #new > 0 and not has_room then return { { 'too-many-calls' } } end

--- @include "@switchyard/redis/timestamps.lua"

-- The share of a limit from which operators see it, as in packages/operators/src/limits.ts.
local NEARLY = 0.8

local function tenant_of(owner) return owner:match('^[^/]*') end

-- Whether one of the messages may come near a limit; near max_waiting from its half on, because jobs in BullMQ's list
-- are not counted here. Most messages are far from all limits, which few commands show.
local function is_near_limit()
  if max_bytes ~= '0' then return true end
  local seen = {}
  for i = 1, #new do
    local message = messages[new[i]]
    local owner, tenant, queue_root, max_waiting =
      message.owner, tenant_of(message.owner), message.queue_root, message.max_waiting
    if message.scheduled_ms then return true end
    if not seen[owner] then
      seen[owner] = redis.call('ZCARD', index_root .. ':' .. owner) + #new
      if max_open ~= '0' and seen[owner] >= NEARLY * max_open then return true end
      if max_kept ~= '0' and seen[owner] >= NEARLY * max_kept then return true end
    end
    if max_open_of_tenant ~= '0' and not seen[tenant] then
      seen[tenant] = (redis.call('HGET', outbox_key .. ':open', tenant) or 0) + #new
      if seen[tenant] >= NEARLY * max_open_of_tenant then return true end
    end
    if max_waiting > 0 and not seen[queue_root] then
      seen[queue_root] = redis.call('ZCARD', queue_root .. 'prioritized') + #new
      if 2 * seen[queue_root] > max_waiting then return true end
    end
  end
  return false
end

local replies, write_bytes, drop_replaced, note_limits = {}, nil, nil
-- Calls of agents are limited by max_calls instead.
local has_limits = not caller_key and is_near_limit()
if has_more or has_limits then
  retention_ms, drop_after_ms = tonumber(retention_ms), tonumber(drop_after_ms)
  max_open, max_kept, max_open_of_tenant = tonumber(max_open), tonumber(max_kept), tonumber(max_open_of_tenant)
  max_bytes, max_scheduled = tonumber(max_bytes), tonumber(max_scheduled)
  --- @include "../quotas/quotas.lua"
  local admitted = {}
  write_bytes, drop_replaced, note_limits = tenant_bytes.write, quotas.drop_replaced, quotas.note_limits
  for _, n in ipairs(new) do
    local refused
    local message = messages[n]
    local owner, scheduled_ms, previous_id = message.owner, message.scheduled_ms, message.previous_id
    local copied = message.has_steps and redis.call('HGET', tasks_root .. message.task_id .. ':s', 'bytes') or 0
    -- A previous task that waits again has lost its begin in a fail-over: it must stay listed, and begins first.
    local is_unfit = previous_id and (not redis.call('ZSCORE', outbox_key .. ':later', previous_id .. ' ' .. owner)
      or redis.call('HEXISTS', tasks_root .. previous_id, 'later') == 1)
    if message.has_steps and copied == 0 or is_unfit then refused = 'missing'
    elseif has_limits then
      refused = quotas.refusal(owner, { queue_root = message.queue_root, level = message.level or 'normal',
        max_waiting = not scheduled_ms and message.max_waiting, bytes = #message.body + #message.entry + copied,
        adds_scheduled = scheduled_ms and not previous_id })
    end
    if refused then replies[n] = { refused } else admitted[#admitted + 1] = n end
  end
  new = admitted
end

if #new > 0 then
  --- @include "../../queue/add-jobs.lua"
  --- @include "../../record/agent-index.lua"
  --- @include "retry-name.lua"
  local time, timestamp_now = sortable(now_ms()), timestamp(now_ms())
  local due_at = ('%d'):format(now_ms() + sweep_after_ms)

  local function add(lists, key, one, two)
    local list = lists[key]
    if list then list[#list + 1], list[#list + 2] = one, two
    else lists[key] = { one, two } end
  end

  local due, queues, indexes, listed, tenants = {}, { normal = {} }, {}, {}, {}
  for i = 1, #new do
    local message = messages[new[i]]
    local task_id, owner, context, state = message.task_id, message.owner, message.context, message.state
    local tenant = tenant_of(owner)
    if message.scheduled_ms then
      --- @include "more-of-task.lua"
      schedule_later(message)
    else
      due[#due + 1], due[#due + 2] = due_at, task_id
      local level = message.level
      if level then
        queues[level] = queues[level] or {}
        add(queues[level], message.queue_root, task_id .. '.1', tenant)
      else add(queues.normal, message.queue_root, task_id .. '.1', tenant) end
    end
    tenants[tenant] = (tenants[tenant] or 0) + 1
    local index, member = index_root .. ':' .. owner, state .. time .. task_id
    add(indexes, index, '0', member)
    add(listed, agent_index(index_root, owner), '0', listed_as(state) .. time .. task_id)
    if context ~= task_id then
      index = index .. ':' .. context
      if not indexes[index] and redis.call('ZCARD', index) == 0 then
        --- @include "initial-task.lua"
        local initial = initial_task_of(tasks_root, context, owner)
        if initial then
          add(indexes, index, '0', initial)
          redis.call('HSET', tasks_root .. context, 'has_context_index', '1')
        end
      end
      add(indexes, index, '0', member)
    end
  end
  if #due > 0 then redis.call('ZADD', outbox_key, unpack(due)) end
  for level, of_level in pairs(queues) do
    for queue_root, jobs in pairs(of_level) do add_jobs(queue_root, jobs, level, call_mode == 'w') end
  end
  for index, members in pairs(listed) do redis.call('ZADD', index, unpack(members)) end
  for index, members in pairs(indexes) do
    redis.call('ZADD', index, unpack(members))
    redis.call('PERSIST', index) -- see commit.lua: one whose tasks have all ended would expire
  end

  --- @include "../../record/status.lua"
  local status = status_text('s', timestamp_now, '')
  for i = 1, #new do
    local message = messages[new[i]]
    local task_id, context, scheduled_ms = message.task_id, message.context, message.scheduled_ms
    local task_key = tasks_root .. task_id
    local ids = '"taskId":"' .. task_id .. '","contextId":"' .. context .. '"'
    redis.call('SET', message.message_id_key, message.fingerprint .. ' ' .. task_id .. ' 1', 'PX', idempotency_ms)
    local history_name, history = 'h', ',\t' .. message.body .. ',' .. ids .. '}'
    if #history > most_inline_bytes then
      redis.call('SET', task_key .. ':h:1', history)
      history_name, history = '@h', task_key .. ':h:1'
    end
    local job_name, job_value, jobs_name, jobs_value, annotation = 'job', '1', 'jobs', '1', ''
    if scheduled_ms then
      job_name, job_value, jobs_name, jobs_value = 'later', scheduled_ms, 'schedule', message.schedule
      annotation = message.schedule
    end
    redis.call('HSET', task_key, 'state', message.state, 'seq', '1', 'time', time, 'index_time', time,
      'owner', message.owner, 'context', context, 'messages', '1', 'inbox', '1', 'initial_entry', message.entry,
      history_name, history, job_name, job_value, jobs_name, jobs_value)
    redis.call('XADD', task_key .. ':e', '1-0', 's', status_update(task_id, context, status, annotation))
    local retry_name = idempotency_key_in(message.message_id_key)
    if retry_name then redis.call('HSET', task_key, 'retry_names', retry_name) end
    if message.request ~= '' then redis.call('HSET', task_key, 'request', message.request) end
    if caller_key then
      add_called_task(task_id, message.owner)
      redis.call('HSET', task_key, 'caller', caller_key:sub(#tasks_root + 1))
      if call_mode == 'w' then redis.call('HSET', task_key, 'awaited', '1') end
    end
    if has_more then
      --- @include "more-of-task.lua"
      write_more(message, task_key)
    end
    replies[new[i]] = { 'accepted', task_id, context, 1, 1, scheduled_ms and 0 or 1, timestamp_now }
  end
  -- After the other writes: a batch that fails is repeated message by message (batches.ts), and counts nothing.
  for tenant, count in pairs(tenants) do
    redis.call('HINCRBY', outbox_key .. ':open', tenant, count == 1 and '1' or count)
  end
  if write_bytes then write_bytes() end
  if drop_replaced then drop_replaced() end
end

if #retries > 0 then
  --- @include "first-answer.lua"
  for _, n in ipairs(retries) do
    local first = replies[first_of[message_id_keys[n]]]
    local is_refused = not known[n] and #first == 1
    replies[n] = is_refused and first or first_answer(message_id_keys[n], messages[n].fingerprint)
  end
end
if note_limits then note_limits() end
return replies
