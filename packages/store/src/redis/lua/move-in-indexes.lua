-- moveInIndexes: the task's state or its time has changed. A part of `commit`.
--
-- An index holds a task once, as state .. time .. id, all scores 0. One in which every task has ended expires with the
-- last; one end in eight takes members away that are past their retention: a busy principal's index stays small.
-- A context has one from its second task on: see opener.lua.

local index = index_root .. ':' .. record.owner
for _ = 1, 2 do
  redis.call('ZREM', index, was[STATE] .. was[TIME] .. task_id)
  redis.call('ZADD', index, '0', record.state .. record.time .. task_id)
  if is_over then
    if now_ms() % 8 == 0 then
      --- @include "sortable.lua"
      for ended in ('CFMXR'):gmatch('.') do
        local expired = '(' .. ended .. sortable(now_ms() - retention_ms)
        local old = redis.call('ZRANGEBYLEX', index, '[' .. ended, expired, 'LIMIT', 0, 32)
        if #old > 0 then redis.call('ZREM', index, unpack(old)) end
      end
    end
    if ended_in then
      ended_in[index] = true
    else
      --- @include "expire-index.lua"
    end
  end
  index = index .. ':' .. record.context
  if record.context == task_id and record.shared == 0 then break end
end
