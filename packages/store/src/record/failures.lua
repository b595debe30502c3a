-- Keeps for operators why attempts, steps and calls of a task failed. The list <task>:f has the last failures
-- of a task, as '<ms> <epoch> <failure>'; a failure is '<kind> <message>', a line break, and the whole of it as JSON
-- (see failure-text.ts). A failure that is sent twice is listed twice; readers take the first.

local MAX_FAILURES = 32

-- If Redis has no memory left for a failure, the script goes on without it.
local function list_failure(task_key, epoch, failure)
  local time, key = redis.call('TIME'), task_key .. ':f'
  local ms = ('%.0f'):format(time[1] * 1000 + math.floor(time[2] / 1000))
  local count = redis.pcall('RPUSH', key, ms .. ' ' .. epoch .. ' ' .. failure)
  if tonumber(count) and count > MAX_FAILURES then redis.pcall('LTRIM', key, -MAX_FAILURES, -1) end
end

-- The field `reason` of the record, for lists of tasks: that of the last attempt that failed.
local function reason_of(epoch, failure) return epoch .. ' ' .. failure:match('^[^\n]*') end

-- Keeps why the turn failed. Writes the record's fields with the others.
local function keep_failure(record, failure)
  if failure == '' then return end
  list_failure(record.key, record.epoch, failure)
  record.changes.fields.reason = reason_of(record.epoch, failure)
  record.has_other_keys = 1
end
