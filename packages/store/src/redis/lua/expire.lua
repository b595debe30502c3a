-- expire: the task has ended, and its keys begin to expire. A part of `commit`.

-- What it had called for and still goes on is to end, too; a detached call may outlive a completion. `aside` says that
-- the task has calls, steps or webhooks at all: most have none, and need not look.
if record.aside ~= 0 then
  local calls, orphans_key = redis.call('HGETALL', calls_key), outbox_key .. ':orphans'
  for i = 1, #calls, 2 do
    local called, manner = calls[i], calls[i + 1]
    if record.state ~= 'C' or manner:sub(1, 1) ~= 'd' then
      redis.call('ZADD', orphans_key, now_ms(), called .. ' ' .. manner)
    end
  end
  if #calls > 0 then redis.call('PUBLISH', orphans_key, '') end
  redis.call('DEL', steps_key, calls_key)
  redis.call('PEXPIRE', webhooks_key, retention_ms)
end
redis.call('PEXPIRE', events_key, replay_ms)
redis.call('PEXPIRE', task_key, retention_ms)
if record.accepted > 1 then redis.call('DEL', inbox_key) end
local history = others['@h'] or was[HISTORY]
if history then redis.call('PEXPIRE', history, retention_ms) end
for n = 1, tonumber(others.artifacts or was[ARTIFACTS] or 0) do
  local parts = redis.call('HGET', task_key, '@p' .. n)
  if parts then redis.call('PEXPIRE', parts, retention_ms) end
end
