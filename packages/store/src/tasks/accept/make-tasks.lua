-- makeTasks: accepts messages that make tasks: one or several of clients, or one of a calling agent.
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
--       job_options     as in add-jobs.lua
--       caller_fence    as in caller.lua, like the next two; '' if no agent calls
--       call_mode
--       max_calls
--       max_open        as in quotas.lua, like the next five
--       max_kept
--       max_open_of_tenant
--       max_bytes
--       max_scheduled
--       drop_after_ms
-- EACH  task_id         of the task that the message makes
--       owner
--       context         as JSON text
--       sent_key        what this principal sent under this messageId (string)
--       fingerprint     of the body
--       body            the message as JSON, without its ids and closing brace
--       entry           of the inbox: messageId as JSON, line break, the turn's input as JSON
--       queue_root      root of the queue's keys, as in add-jobs.lua
--       config_ids      of webhooks that get all events of the task, one a line; '' none
--       encrypted       their configurations, one a line; '' none
--       hold_ms         how long they wait for the agent's first event before they get the task
--       state           its letter: s, or h to hide it until the agent's first event, which may be a plain message
--       max_waiting     jobs that may wait in its queue; 0: no limit
--       request         parameters of the request, to send the message again: see KeptRequest; '' none
--       has_steps       1: results of steps were copied for it, see copy-steps.lua; else ''
--       skill           whose queue it enters; '' the agent's
--       scheduled_ms    ms when it enters the queue, see scheduled-tasks.lua; '' now
--       schedule        metadata of a scheduled task, as JSON; '' with `scheduled_ms` ''
--       previous_id     previous task of its schedule; '' none
-- Returns  for each message, as accept.lua, or the refusal of quotas.lua: too-many-open | too-many-kept
--          | too-many-open-of-tenant | too-many-bytes-of-tenant | too-many-scheduled | overloaded; or missing: the
--          steps that were copied for it are gone, or the previous task of its schedule is, has a next one already, or
--          waits
-- Invariant: a messageId of a principal is accepted once. Copied steps are kept as long as their task. A task has one
-- next task at most. One round trip, O(messages).
--
-- Most messages take this path. It writes what record.lua and commit.lua would write for a new task, with fewer
-- commands (docs/adr/0019). Values that tasks share are written once. The first event of a new task is not published:
-- it has no subscriber yet, except a webhook that was created with it.

local tasks_root, outbox_key, index_root, push_key, caller_key = unpack(KEYS)
local sweep_after_ms, _, _, retention_ms, inline_bytes, idempotency_ms, job_options = unpack(ARGV, 1, 7)
local caller_fence, call_mode, max_calls = unpack(ARGV, 8, 10)
local max_open, max_kept, max_open_of_tenant, max_bytes, max_scheduled, drop_after_ms = unpack(ARGV, 11, 16)
retention_ms = tonumber(retention_ms)
max_open, max_kept = tonumber(max_open), tonumber(max_kept)
max_open_of_tenant, max_bytes = tonumber(max_open_of_tenant), tonumber(max_bytes)
max_scheduled, drop_after_ms = tonumber(max_scheduled), tonumber(drop_after_ms)
-- Where the first message begins in ARGV, and how many arguments each has.
local FIRST, SIZE = 17, 19
-- Where a message's arguments are, counted from its first one: see EACH.
local OWNER, CONTEXT, SENT_KEY, FINGERPRINT, BODY, ENTRY, QUEUE_ROOT, STATE = 1, 2, 3, 4, 5, 6, 7, 11
local MAX_WAITING, HAS_STEPS, SCHEDULED_MS, PREVIOUS_ID = 12, 14, 16, 18

--- @include "../../redis/server.lua"
--- @include "caller.lua"

local refusal = caller_key and caller.refusal()
if refusal then return { { refusal } } end

local starts, sent_keys = {}, {}
for at = FIRST, #ARGV, SIZE do
  starts[#starts + 1], sent_keys[#sent_keys + 1] = at, ARGV[at + SENT_KEY]
end

-- A message may be a retry of an earlier one, or of another one in this call.
local known = redis.call('MGET', unpack(sent_keys))
local new, retries, first_of = {}, {}, {}
for n, sent_key in ipairs(sent_keys) do
  local list = (known[n] or first_of[sent_key]) and retries or new
  list[#list + 1], first_of[sent_key] = n, first_of[sent_key] or n
end
if caller_key and #new > 0 and not caller.has_room() then return { { 'too-many-calls' } } end

--- @include "../../redis/timestamps.lua"
--- @include "../quotas/quotas.lua"

local replies, admitted = {}, {}
for _, n in ipairs(new) do
  local at = starts[n]
  local refused
  local copied = ARGV[at + HAS_STEPS] == '' and 0 or redis.call('HGET', tasks_root .. ARGV[at] .. ':s', 'bytes')
  local owner, scheduled_ms, previous_id = ARGV[at + OWNER], ARGV[at + SCHEDULED_MS], ARGV[at + PREVIOUS_ID]
  -- A previous task that waits again has lost its begin in a fail-over: it must stay listed, and begins first.
  local is_unfit = previous_id ~= '' and (not redis.call('ZSCORE', outbox_key .. ':later', previous_id .. ' ' .. owner)
    or redis.call('HEXISTS', tasks_root .. previous_id, 'later') == 1)
  if not copied or is_unfit then refused = 'missing'
  -- Calls of agents are limited by max_calls instead.
  elseif not caller_key then
    local bytes = #ARGV[at + BODY] + #ARGV[at + ENTRY] + copied
    local max_waiting = scheduled_ms == '' and tonumber(ARGV[at + MAX_WAITING])
    refused = quotas.refusal(owner, { queue_root = ARGV[at + QUEUE_ROOT], max_waiting = max_waiting, bytes = bytes,
      adds_scheduled = scheduled_ms ~= '' and previous_id == '' })
  end
  if refused then replies[n] = { refused } else admitted[#admitted + 1] = n end
end
new = admitted

if #new > 0 then
  --- @include "../../queue/add-jobs.lua"
  --- @include "../../record/agent-index.lua"
  local time, timestamp_now = sortable(now_ms()), timestamp(now_ms())
  local due_at = ('%.0f'):format(now_ms() + sweep_after_ms)

  local function add(lists, key, one, two)
    local list = lists[key] or {}
    list[#list + 1], list[#list + 2], lists[key] = one, two, list
  end

  local due, queues, indexes, listed, tenants = {}, {}, {}, {}, {}
  for i = 1, #new do
    local at = starts[new[i]]
    local task_id, owner, context = ARGV[at], ARGV[at + OWNER], ARGV[at + CONTEXT]
    local queue_root, state, scheduled_ms = ARGV[at + QUEUE_ROOT], ARGV[at + STATE], ARGV[at + SCHEDULED_MS]
    local tenant = tenant_of(owner)
    if scheduled_ms == '' then
      due[#due + 1], due[#due + 2] = due_at, task_id
      add(queues, queue_root, task_id .. '.1', tenant)
    else
      --- @include "../../record/scheduled-tasks.lua"
      local previous_id = ARGV[at + PREVIOUS_ID]
      local is_next = previous_id ~= ''
      local schedule_id = is_next and schedule_of(tasks_root .. previous_id, previous_id) or task_id
      local entry = { task_id = task_id, owner = owner, schedule_id = schedule_id, due_ms = scheduled_ms }
      add_scheduled_task(outbox_key, entry, is_next and previous_id or nil)
      if is_next then redis.call('HSET', tasks_root .. task_id, 'schedule_id', schedule_id) end
    end
    tenants[tenant] = (tenants[tenant] or 0) + 1
    local index, member = index_root .. ':' .. owner, state .. time .. task_id
    add(indexes, index, '0', member)
    add(listed, agent_index(index_root, owner), '0', LISTED_AS[state] .. time .. task_id)
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
  for queue_root, jobs in pairs(queues) do add_jobs(queue_root, jobs, job_options, call_mode == 'w') end
  for index, members in pairs(listed) do redis.call('ZADD', index, unpack(members)) end
  for index, members in pairs(indexes) do
    redis.call('ZADD', index, unpack(members))
    redis.call('PERSIST', index) -- see commit.lua: one whose tasks have all ended would expire
  end

  for i = 1, #new do
    local at = starts[new[i]]
    local task_id, owner, context, sent_key, fingerprint, message, entry, _, config_ids, encrypted, hold_ms, state, _,
      request, has_steps, skill, scheduled_ms, schedule = unpack(ARGV, at, at + SIZE - 2)
    local task_key = tasks_root .. task_id
    local ids = '"taskId":"' .. task_id .. '","contextId":"' .. context .. '"'
    local status = '{"state":"TASK_STATE_SUBMITTED","timestamp":"' .. timestamp_now .. '"}'
    redis.call('SET', sent_key, fingerprint .. ' ' .. task_id .. ' 1', 'PX', idempotency_ms)
    local job_name, job_value, jobs_name, jobs_value, annotation = 'scheduled', '1', 'jobs', '1', ''
    if scheduled_ms ~= '' then
      job_name, job_value, jobs_name, jobs_value = 'later', scheduled_ms, 'schedule', schedule
      annotation = ',"metadata":' .. schedule
      redis.call('HSET', task_key, 'metadata', schedule)
    end
    local history_name, history = 'h', ',\t' .. message .. ',' .. ids .. '}'
    if #history > tonumber(inline_bytes) then
      redis.call('SET', task_key .. ':h:1', history)
      history_name, history = '@h', task_key .. ':h:1'
    end
    redis.call('HSET', task_key, 'state', state, 'seq', '1', 'time', time, 'listed', time, 'owner', owner,
      'context', context, 'accepted', '1', 'inbox', '1', 'initial_entry', entry, 'status', status,
      history_name, history, job_name, job_value, jobs_name, jobs_value)
    redis.call('XADD', task_key .. ':e', '1-0', 's', '{"statusUpdate":{' .. ids .. ',"status":' .. status
      .. annotation .. '}}')
    if request ~= '' then redis.call('HSET', task_key, 'request', request) end
    if skill ~= '' then redis.call('HSET', task_key, 'queue', skill) end
    if has_steps ~= '' then
      redis.call('PERSIST', task_key .. ':s')
      redis.call('HSET', task_key, 'has_side_keys', '1')
    end
    if caller_key then
      caller.record(task_id, owner)
      redis.call('HSET', task_key, 'caller', caller_key:sub(#tasks_root + 1))
      if call_mode == 'w' then redis.call('HSET', task_key, 'awaited', '1') end
    end
    if config_ids ~= '' then
      local webhooks_key, webhooks, next_config = task_key .. ':w', '', encrypted:gmatch('[^\n]+')
      --- @include "../../record/delivery-queues.lua"
      for config_id in config_ids:gmatch('[^\n]+') do
        local number = add_webhook(config_id, next_config(), '0')
        webhooks = webhooks .. ' ' .. number
        mark_due(number, now_ms(), tonumber(hold_ms))
      end
      redis.call('HSET', task_key, 'webhooks', webhooks, 'has_side_keys', '1')
    end
    replies[new[i]] = { 'scheduled', task_id, context, 1, 1, scheduled_ms == '' and 1 or 0, timestamp_now }
  end
  -- After the other writes: a batch that fails is repeated message by message (batches.ts), and counts nothing.
  for tenant, count in pairs(tenants) do redis.call('HINCRBY', outbox_key .. ':open', tenant, count) end
  tenant_bytes.write()
  quotas.drop_replaced()
end

if #retries > 0 then
  --- @include "first-answer.lua"
  for _, n in ipairs(retries) do
    local first = replies[first_of[sent_keys[n]]]
    local is_refused = not known[n] and #first == 1
    replies[n] = is_refused and first or first_answer(sent_keys[n], ARGV[starts[n] + FINGERPRINT])
  end
end
return replies
