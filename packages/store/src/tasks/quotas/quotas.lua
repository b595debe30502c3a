-- Whether a message may make a task, by the limits of its principal, its tenant and its queue. Needs
-- outbox_key, index_root, retention_ms, tenant_of, NEARLY, server.lua and timestamps.lua.
--
-- max_open, max_kept  tasks of a principal at an agent that have not ended, and all that are kept
-- max_open_of_tenant  tasks of a tenant that have not ended; <outbox>:open (hash: tenant → their number) counts them
-- max_bytes           bytes that a tenant has stored: tenant-bytes.lua
-- max_scheduled       scheduled tasks of a principal at an agent: scheduled-tasks.lua counts them
-- drop_after_ms       at max_kept, a new task replaces the oldest one that ended so long ago; 0: it is refused
-- For each, 0 means no limit. The limits are those of this shard.
--
-- The number of tasks comes from the indexes. Only the tasks of tenants, scheduled tasks and bytes are counted apart,
-- in the same step as the tasks change.

--- @include "tenant-bytes.lua"
--- @include "../../queue/fair-order.lua"

local quotas = {}

-- By owner: tasks that this call adds, and those there were before, as far as they were counted.
local new_of, all_of, open_of, kept_of = {}, {}, {}, {}
-- Numbers that were read, and that grow with each message of this call.
local open_of_tenant, waiting, is_served_next, is_counted_whole, scheduled_of = {}, {}, {}, {}, {}

local function look_up(owner, tenant, queue_root)
  if not all_of[owner] then
    new_of[owner], all_of[owner] = 0, redis.call('ZCARD', index_root .. ':' .. owner)
  end
  if not open_of_tenant[tenant] then
    open_of_tenant[tenant] = tonumber(redis.call('HGET', outbox_key .. ':open', tenant) or 0)
  end
  if not waiting[queue_root] then
    waiting[queue_root] = redis.call('ZCARD', queue_root .. 'prioritized')
  end
end

local near = {} -- limits that are nearly reached, for operators: see quotas.note_limits
local function is_full(limit, there, kind, of)
  if limit == 0 then return false end
  if kind and there + 1 >= limit * NEARLY then near['near ' .. kind .. ' ' .. of] = true end
  return there >= limit
end

-- The states of tasks that have not ended are lower-case letters.
local function count_open(index) return redis.call('ZLEXCOUNT', index, '[a', '+') end

-- The index also has tasks that have expired.
local function count_kept(index)
  local kept, oldest = redis.call('ZCARD', index), sortable(now_ms() - retention_ms)
  for ended in ('CFMXR'):gmatch('.') do
    kept = kept - redis.call('ZLEXCOUNT', index, '[' .. ended, '(' .. ended .. oldest)
  end
  return kept
end

-- Whether the owner has as many tasks as the limit. Those that count are counted only if all tasks are nearly too many.
local function has_too_many(owner, limit, counted, count)
  if limit == 0 or all_of[owner] + new_of[owner] + 1 < limit * NEARLY then return false end
  counted[owner] = counted[owner] or count(index_root .. ':' .. owner)
  return is_full(limit, counted[owner] + new_of[owner], count == count_open and 'open' or 'kept', owner)
end

local replacement -- functions of drop-tasks.lua, and what they found
-- Whether a new task of the owner may replace its oldest ended one, which quotas.drop_replaced() drops: all checks of a
-- script come before its writes.
local function may_replace(owner)
  if drop_after_ms == 0 then return false end
  if not replacement then
    --- @include "../../record/drop-tasks.lua"
    replacement = { oldest_ended = oldest_ended, is_needed = is_needed, drop_task = drop_task, found = {}, chosen = {} }
  end
  local index = index_root .. ':' .. owner
  if not replacement.found[owner] then
    local found, oldest, youngest = {}, sortable(now_ms() - retention_ms), sortable(now_ms() - drop_after_ms)
    for _, position in ipairs(replacement.oldest_ended(index, oldest, youngest, 64)) do
      if not replacement.is_needed(position:sub(9)) then found[#found + 1] = position end
    end
    replacement.found[owner] = found
  end
  local position = table.remove(replacement.found[owner], 1)
  if position then table.insert(replacement.chosen, { index, position }) end
  return position ~= nil
end

function quotas.drop_replaced()
  for _, task in ipairs(replacement and replacement.chosen or {}) do replacement.drop_task(task[1], task[2]) end
end

-- Notes in <outbox>:room (hash) which limits are nearly reached, and when. Operators read the numbers themselves. A
-- thousand are enough, and a full Redis keeps none.
function quotas.note_limits()
  if next(near) == nil or redis.call('HLEN', outbox_key .. ':room') > 1000 then return end
  local fields = {}
  for name in pairs(near) do fields[#fields + 1], fields[#fields + 2] = name, ('%.0f'):format(now_ms()) end
  redis.pcall('HSET', outbox_key .. ':room', unpack(fields))
  redis.call('PEXPIRE', outbox_key .. ':room', '3600000')
end

-- A tenant without waiting jobs of the message's level is served next of that level (fair-order.lua), however many jobs
-- of others wait. So one message of it is accepted beyond max_waiting, up to twice that number in all.
local function is_overloaded(queue_root, tenant, level, max_waiting)
  -- BullMQ's own tools put jobs into a list, which is counted only if the queue is half full without it.
  if not is_counted_whole[queue_root] and is_full(max_waiting, 2 * waiting[queue_root]) then
    is_counted_whole[queue_root] = true
    waiting[queue_root] = waiting[queue_root] + redis.call('LLEN', queue_root .. 'wait')
  end
  if not is_full(max_waiting, waiting[queue_root]) then return false end
  local tenants = tenants_key(queue_root, level)
  local place = tenants .. ' ' .. tenant
  if is_served_next[place] == nil then
    local served, last = unpack(redis.call('ZMSCORE', tenants, ' ', tenant))
    is_served_next[place] = tonumber(last or 0) <= tonumber(served or BASE[level])
  end
  local is_next = is_served_next[place]
  is_served_next[place] = false
  return not is_next or waiting[queue_root] >= 2 * max_waiting
end

local function has_too_many_scheduled(owner)
  if not scheduled_of[owner] then
    scheduled_of[owner] = tonumber(redis.call('HGET', outbox_key .. ':later:owners', owner) or 0)
  end
  return is_full(max_scheduled, scheduled_of[owner], 'scheduled', owner)
end

-- Why the message may not make a task; nil: it may, and is counted from now on. Fields of message:
-- queue_root       max_waiting: jobs that may wait in that queue; false: it enters it later
-- level            of its job, as in add-jobs.lua
-- adds_scheduled   it makes one more scheduled task
-- bytes            of the message, and of the steps that are copied for its task
function quotas.refusal(owner, message)
  local queue_root, max_waiting, bytes = message.queue_root, message.max_waiting, message.bytes
  local tenant = tenant_of(owner)
  look_up(owner, tenant, queue_root)
  if has_too_many(owner, max_open, open_of, count_open) then return 'too-many-open' end
  if is_full(max_open_of_tenant, open_of_tenant[tenant], 'open-of-tenant', tenant) then
    return 'too-many-open-of-tenant'
  end
  if tenant_bytes.exceed(tenant, bytes) then return 'too-many-bytes-of-tenant' end
  if message.adds_scheduled and has_too_many_scheduled(owner) then return 'too-many-scheduled' end
  if max_waiting and is_overloaded(queue_root, tenant, message.level, max_waiting) then return 'overloaded' end
  -- Last, because a task is replaced only by one that is made.
  if has_too_many(owner, max_kept, kept_of, count_kept) then
    if not may_replace(owner) then return 'too-many-kept' end
    kept_of[owner] = kept_of[owner] - 1
  end
  tenant_bytes.count(tenant, bytes)
  new_of[owner] = new_of[owner] + 1
  open_of_tenant[tenant] = open_of_tenant[tenant] + 1
  if message.adds_scheduled then scheduled_of[owner] = scheduled_of[owner] + 1 end
  if max_waiting then waiting[queue_root] = waiting[queue_root] + 1 end
  return nil
end
