-- The places of tasks in their indexes. Needs server.lua and retention_ms.
--
-- An index holds each task once, as state .. time .. id, with score 0.
-- changes: by index, the members to remove, the members to add, and whether a task has ended; write_indexes writes them

--- @include "agent-index.lua"

local function move(changes, index, old, new, has_ended)
  local change = changes[index]
  if not change then
    change = { old = {}, new = {} }
    changes[index] = change
  end
  change.old[#change.old + 1] = old
  change.new[#change.new + 1], change.new[#change.new + 2] = '0', new
  change.has_ended = change.has_ended or has_ended
end

-- An index whose tasks have all ended expires with the last of them. Tasks that go on sort last, because their states
-- are lower-case letters. One end in 32 removes expired members, which keeps a busy index small.
local function write_indexes(changes)
  for index, change in pairs(changes) do
    if #change.old > 0 then redis.call('ZREM', index, unpack(change.old)) end
    redis.call('ZADD', index, unpack(change.new))
    if change.has_ended then
      if now_ms() % 32 == 0 then
        --- @include "@switchyard/redis/timestamps.lua"
        for ended in ('CFMXR'):gmatch('.') do
          local expired = '(' .. ended .. sortable(now_ms() - retention_ms)
          local old = redis.call('ZRANGEBYLEX', index, '[' .. ended, expired, 'LIMIT', '0', '128')
          if #old > 0 then redis.call('ZREM', index, unpack(old)) end
        end
      end
      local last = redis.call('ZREVRANGE', index, '0', '0')[1]
      if last and last:byte() < 97 then redis.call('PEXPIRE', index, retention_ms) end
    end
  end
end
