-- Drops the oldest ended tasks of an index if Redis is nearly full: one small step.
--
-- KEYS  tasks_root   as in append.lua
--       outbox       made from it: <outbox>:room (hash), what was dropped for lack of memory
--       index_root
--       push
--       index        zset of tasks: that of a principal at an agent, or that of an agent
-- ARGV  percent      of maxmemory from which tasks are dropped
--       min_ms       how long an ended task stays at least
--       limit        tasks to look at
--       after        position (time .. id) in the index of the last task that was looked at; '' from the oldest on
-- Returns  { bytes used, bytes allowed (0: no limit is known), number of tasks dropped, how many ms the youngest of
--          them was kept, position of the last task that was looked at ('': no other may be dropped) }
-- Invariant: as drop-tasks.lua. Nothing is dropped while less than `percent` of the memory is used.

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/timestamps.lua"

local tasks_root, outbox_key, index_root, push_key, index = unpack(KEYS)
local percent, min_ms, limit, after = unpack(ARGV)
limit = tonumber(limit)

-- A managed Redis may refuse the command: then its memory is not watched. Buffers do not count for maxmemory.
local info = redis.pcall('INFO', 'memory')
info = type(info) == 'string' and info or ''
local function number_of(name) return tonumber(info:match('[\r\n]' .. name .. ':(%d+)') or 0) end
local allowed = number_of('maxmemory')
local used = number_of('used_memory') - number_of('mem_not_counted_for_evict')
if allowed == 0 or used * 100 < allowed * percent then return { used, allowed, 0, 0, '' } end

--- @include "@switchyard/store/record/drop-tasks.lua"

local before = sortable(math.max(0, now_ms() - min_ms))
local positions = oldest_ended(index, after, before, limit)
allow_out_of_memory(outbox_key)
local dropped = 0
for _, position in ipairs(positions) do
  if not is_needed(position:sub(9)) then
    drop_task(index, position)
    dropped = dropped + 1
  end
end
local kept_ms = dropped > 0 and now_ms() - tonumber(positions[#positions]:sub(1, 8), 36) or 0
if dropped > 0 then
  local key = outbox_key .. ':room'
  redis.call('HSET', key, 'kept_ms', ('%.0f'):format(kept_ms), 'at', ('%.0f'):format(now_ms()))
  redis.call('HINCRBY', key, 'dropped', dropped)
  redis.call('PEXPIRE', key, '3600000')
end
return { used, allowed, dropped, kept_ms, #positions == limit and positions[limit] or '' }
