-- Reads the fields of tasks that a list shows.
--
-- KEYS  tasks_root   prefix of the keys of tasks
-- ARGV  text_bytes   bytes to read of each task's history; 0: none
--       ids*
-- Returns  for each task { owner, context, state, time, attempts, inbox, beginning of its history, ms of the time it
--          waits for or '', epoch, why its last failed attempt failed (fields.lua) or '', micro-USD that it has cost
--          with all tasks below it, requests of these to models without a known price }; { } if it is gone

local tasks_root = unpack(KEYS)
local text_bytes = tonumber((unpack(ARGV)))

local rows = {}
for i = 2, #ARGV do
  local task_key = tasks_root .. ARGV[i]
  -- A damaged task is like one that is gone.
  local fields = redis.pcall('HMGET', task_key,
    'owner', 'context', 'state', 'time', 'attempts', 'inbox', 'later', 'epoch', 'reason')
  local owner, context, state, time, attempts, inbox, later, epoch, reason = unpack(fields.err and {} or fields)
  local cost, unpriced = unpack(redis.pcall('HMGET', task_key .. ':u', 'total microUsd', 'total unpricedCalls'))
  local text = ''
  if owner and text_bytes > 0 then
    local inside, outside = unpack(redis.call('HMGET', task_key, 'h', '@h'))
    text = inside and inside:sub(1, text_bytes) or outside and redis.call('GETRANGE', outside, 0, text_bytes - 1) or ''
  end
  rows[i - 1] = owner
    and { owner, context, state, time, tonumber(attempts or 0), tonumber(inbox or 0), text, later or '',
      tonumber(epoch or 0), reason or '', tonumber(cost or 0), tonumber(unpriced or 0) } or {}
end
return rows
