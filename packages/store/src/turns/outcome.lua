-- The ways in which a turn ends. Included after rules.lua. Needs fields.lua, server.lua, texts.lua and
-- retention_ms.

-- Why the turn with this fencing token may not write. nil: it is open; `done`: it is closed and none has begun since,
-- because the command was sent twice. record: nil if there is no such task
local function turn_refusal(record, fence, done)
  if not record then return 'fenced' end
  if record.turn == fence then return nil end
  return record.turn == '' and fence == last_fence(record) and done or 'fenced'
end

-- Whether a fail-over lost events of the open turn. published: their number, as its run knows it
local function is_behind(record, published)
  return tonumber(published) > record.turn_seq
end

-- Closes the turn and removes its message from the inbox, and with it the `delivered` messages behind it, which the
-- turn was given while it ran. `answered` becomes the number of the last of them.
local function pop(record, delivered)
  record.answered = math.max(record.answered, record.messages - record.inbox + 1 + delivered)
  pop_message(record, delivered)
  record.turn, record.token, record.attempts = '', '', 0
end

-- The turn was the last one of its job: the job leaves its queue in the same step. root: of the agent's queue's keys.
local function end_job(record, root)
  local loaded = record.loaded
  local id = record.id .. '.' .. (loaded[JOB] or '')
  record.changes.ended_job = { root = queue_of(record, root), id = id, token = loaded[TOKEN] }
end

-- Decides what follows an outcome, after its message has left the inbox. root: of the keys of the agent's own queue;
-- ends_job: '1': a message that waits gets another job; '': this job runs the next turn, too.
local function settle(record, root, ends_job)
  -- An accepted cancel holds, even if the agent asks for input.
  if record.cancel ~= '' then
    finish(record, 'X')
    end_job(record, root)
    return 'canceled'
  end
  -- The inbox is empty and the job is removed in one step: the next message schedules a job with a new number.
  if record.inbox == 0 then
    record.job, record.started, record.changes.in_outbox = 0, 0, false
    end_job(record, root)
    return 'idle'
  end
  record.changes.in_outbox = true
  withdraw_question(record)
  if ends_job == '' then return 'more' end
  enqueue(record, root)
  end_job(record, root)
  return 'successor'
end

-- The message has spent its attempts: the task ends FAILED, and the message is kept as a dead letter as long as the
-- task, with what an operator needs to inspect it and send it again.
-- dead_key: zset of dead letters; reason: JSON text, which the client sees, too
local function give_up(record, dead_key, reason)
  --- @include "../record/inbox-entry.lua"
  local task_id, task_key = record.id, record.key
  local letter_key, entry = task_key .. ':d', redis.call('HGET', task_key, 'initial_entry')
  entry = entry and initial_entry_with_message(record, entry) or redis.call('LINDEX', task_key .. ':i', '0')
  redis.call('HSET', letter_key, 'owner', record.owner, 'context', record.context, 'attempts', record.attempts,
    'entry', entry, 'reason', reason)
  redis.call('ZADD', dead_key, now_ms(), task_id)
  redis.call('ZREMRANGEBYSCORE', dead_key, '-inf', now_ms() - retention_ms)
  redis.call('PEXPIRE', dead_key, retention_ms)
  record.has_other_keys = 1
  pop(record, 0)
  local message = '{"messageId":"' .. task_id .. '.given-up.' .. record.epoch
    .. '","role":"ROLE_AGENT","parts":[{"text":' .. reason .. '}]}'
  add_to_history(record, message)
  finish(record, 'F', { message = message, answered = record.answered })
end
