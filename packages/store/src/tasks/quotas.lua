-- quotas: whether a message may make a task, by the limits of its principal, its tenant and its queue. Needs
-- outbox_key, index_root, retention_ms, server.lua and timestamps.lua.
--
-- max_open, max_kept  tasks of a principal at an agent that have not ended, and all that are kept
-- max_open_of_tenant  tasks of a tenant that have not ended; <outbox>:open (hash: tenant → their number) counts them
-- max_bytes           bytes that a tenant has stored: tenant-bytes.lua
-- max_scheduled       scheduled tasks of a principal at an agent: scheduled-tasks.lua counts them
-- For each, 0 means no limit. The limits are those of this shard.
--
-- The number of tasks comes from the indexes. Only the tasks of tenants, scheduled tasks and bytes are counted apart,
-- in the same step as the tasks change.

--- @include "tenant-bytes.lua"

local quotas = {}

local function tenant_of(owner) return owner:match('^[^/]*') end

-- Numbers that were read, and that grow with each message of this call.
local open, kept, open_of_tenant, waiting, is_served_next, is_counted_whole, scheduled_of = {}, {}, {}, {}, {}, {}, {}

local function look_up(owner, tenant, queue_root)
  if not kept[owner] then
    local index = index_root .. ':' .. owner
    local all = redis.call('ZCARD', index)
    kept[owner], open[owner] = all, all
    -- The states of tasks that have not ended are lower-case letters.
    if max_open > 0 and all >= max_open then open[owner] = redis.call('ZLEXCOUNT', index, '[a', '+') end
    if max_kept > 0 and all >= max_kept then
      local oldest = sortable(now_ms() - retention_ms)
      for ended in ('CFMXR'):gmatch('.') do
        kept[owner] = kept[owner] - redis.call('ZLEXCOUNT', index, '[' .. ended, '(' .. ended .. oldest)
      end
    end
  end
  if not open_of_tenant[tenant] then
    open_of_tenant[tenant] = tonumber(redis.call('HGET', outbox_key .. ':open', tenant) or 0)
  end
  if not waiting[queue_root] then
    waiting[queue_root] = redis.call('ZCARD', queue_root .. 'prioritized')
  end
end

local function is_full(limit, there) return limit > 0 and there >= limit end

-- A tenant without waiting jobs is served next (fair-order.lua), however many jobs of others wait. So one message of it
-- is accepted beyond max_waiting, up to twice that number in all.
local function is_overloaded(queue_root, tenant, max_waiting)
  -- Gateways of earlier versions put jobs into a list, which is counted only if the queue is half full without it.
  if not is_counted_whole[queue_root] and is_full(max_waiting, 2 * waiting[queue_root]) then
    is_counted_whole[queue_root] = true
    waiting[queue_root] = waiting[queue_root] + redis.call('LLEN', queue_root .. 'wait')
  end
  if not is_full(max_waiting, waiting[queue_root]) then return false end
  local queue_of_tenant = queue_root .. tenant
  if is_served_next[queue_of_tenant] == nil then
    local taken, last = unpack(redis.call('ZMSCORE', queue_root .. 'tenants', ' ', tenant))
    is_served_next[queue_of_tenant] = tonumber(last or 0) <= tonumber(taken or 0)
  end
  local is_next = is_served_next[queue_of_tenant]
  is_served_next[queue_of_tenant] = false
  return not is_next or waiting[queue_root] >= 2 * max_waiting
end

local function has_too_many_scheduled(owner)
  if not scheduled_of[owner] then
    scheduled_of[owner] = tonumber(redis.call('HGET', outbox_key .. ':later:owners', owner) or 0)
  end
  return is_full(max_scheduled, scheduled_of[owner])
end

-- Why the message may not make a task; nil: it may, and is counted from now on. Fields of message:
-- queue_root   max_waiting: jobs that may wait in that queue; false: it enters it later   adds_scheduled: it makes one
-- more scheduled task   bytes: of the message, and of the steps that are copied for its task
function quotas.refusal(owner, message)
  local queue_root, max_waiting, bytes = message.queue_root, message.max_waiting, message.bytes
  local tenant = tenant_of(owner)
  look_up(owner, tenant, queue_root)
  if is_full(max_open, open[owner]) then return 'too-many-open' end
  if is_full(max_kept, kept[owner]) then return 'too-many-kept' end
  if is_full(max_open_of_tenant, open_of_tenant[tenant]) then return 'too-many-open-of-tenant' end
  if tenant_bytes.exceed(tenant, bytes) then return 'too-many-bytes-of-tenant' end
  if message.adds_scheduled and has_too_many_scheduled(owner) then return 'too-many-scheduled' end
  if max_waiting and is_overloaded(queue_root, tenant, max_waiting) then return 'overloaded' end
  tenant_bytes.count(tenant, bytes)
  open[owner], kept[owner] = open[owner] + 1, kept[owner] + 1
  open_of_tenant[tenant] = open_of_tenant[tenant] + 1
  if message.adds_scheduled then scheduled_of[owner] = scheduled_of[owner] + 1 end
  if max_waiting then waiting[queue_root] = waiting[queue_root] + 1 end
  return nil
end
