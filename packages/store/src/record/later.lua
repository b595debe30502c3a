-- later: tasks that wait for their time. Two keys are made from the outbox's:
--
-- <outbox>:later         zset: '<task> <owner>' -> ms when a worker looks at it next. One whose schedule goes on stays
--                        in it until the next task is made, see ../schedules/begin-later.lua
-- <outbox>:later:owners  hash: owner -> how many of them are there
-- Invariant: the numbers are those of the entries.

local function leave_later(outbox_key, task_id, owner)
  local later_key = outbox_key .. ':later'
  if redis.call('ZREM', later_key, task_id .. ' ' .. owner) == 0 then return end
  local owners_key = later_key .. ':owners'
  if redis.call('HINCRBY', owners_key, owner, '-1') <= 0 then redis.call('HDEL', owners_key, owner) end
end
