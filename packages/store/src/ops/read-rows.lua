-- readRows: what a list shows of tasks.
--
-- KEYS  tasks_root   what the keys of tasks begin with
-- ARGV  text_bytes   that are read of the history of each; 0: none
--       ids*
-- Returns  of each task { owner, context, state, time, attempts, inbox, beginning of its history }; of one that is not
--          there any more { }

local tasks_root = unpack(KEYS)
local text_bytes = tonumber((unpack(ARGV)))

local rows = {}
for i = 2, #ARGV do
  local task_key = tasks_root .. ARGV[i]
  local owner, context, state, time, attempts, inbox =
    unpack(redis.call('HMGET', task_key, 'owner', 'context', 'state', 'time', 'attempts', 'inbox'))
  local text = ''
  if owner and text_bytes > 0 then
    local inside, outside = unpack(redis.call('HMGET', task_key, 'h', '@h'))
    text = inside and inside:sub(1, text_bytes) or outside and redis.call('GETRANGE', outside, 0, text_bytes - 1) or ''
  end
  rows[i - 1] = owner
    and { owner, context, state, time, tonumber(attempts or 0), tonumber(inbox or 0), text } or {}
end
return rows
