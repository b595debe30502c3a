-- Turns that wait for a time or for events, for seconds or for years (docs/adr/0146). Included after
-- rules.lua. Needs server.lua and outbox_key.
--
-- A suspended turn has no job, and its task is not in the outbox: the message is in the inbox, the record has `waits`,
-- and <outbox>:suspended (zset) has the task → ms when it resumes at the latest, NEVER_MS if only an event resumes it.
-- When it resumes, it gets a job with a new number, whose run begins the turn again from the top.
-- Invariant: a task is in the zset <=> its record has `waits`.

-- waits: JSON, for clients; due_ms: of the zset
local function suspend(record, waits, due_ms)
  record.waits, record.job, record.started, record.changes.in_outbox = waits, 0, 0, false
  redis.call('ZADD', outbox_key .. ':suspended', due_ms, record.id)
  local said = '"' .. SUSPENDED_URI .. '":' .. waits
  record.changes.fields.metadata = with_member(redis.call('HGET', record.key, 'metadata') or '', said)
  emit_status(record, 'w', { metadata = '{' .. said .. '}' })
end

-- Gives the task a job, whether its turn is suspended or about to be. root: of the keys of the agent's own queue.
-- is_due: the time of the turn has come, as that of many turns may have: the job waits behind the jobs of its tenant.
-- Otherwise the job goes before them.
local function resume(record, root, is_due)
  if record.waits ~= '' then
    end_wait(record)
    emit_status(record, 'w')
  else
    withdraw_question(record)
  end
  -- If another turn waits for this task, its next job is awaited, too.
  local is_awaited = tonumber(redis.call('HGET', record.key, 'awaited')) == record.jobs
  enqueue(record, root, is_awaited, not is_due)
  if is_awaited then redis.call('HSET', record.key, 'awaited', record.job) end
end
