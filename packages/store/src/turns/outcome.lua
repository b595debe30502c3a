-- outcome: how a turn ends: with an outcome, or without one. Included after rules.lua.

-- The record, if the turn with this fencing token is open; else nil and a verdict. `done`: what is asked was done
-- already, the turn is closed and none has begun since.
local function load_open_turn(fence, done)
  local record = load_record()
  if not record then return nil, 'fenced' end
  if record.turn == fence then return record end
  return nil, record.turn == '' and fence == last_fence(record) and done or 'fenced'
end

-- Closes the turn and takes its message off the inbox, and so many behind it that the turn has got while it ran. The
-- number of the last one becomes the highest one that is answered.
local function pop(record, taken)
  record.released = math.max(record.released, record.accepted - record.inbox + 1 + taken)
  popped = taken
  if record.inbox == record.accepted then others.initial_entry = false else popped = taken + 1 end
  record.inbox = record.inbox - 1 - taken
  record.turn, record.token, record.attempts = '', '', 0
end

-- The turn was its job's last one: the job leaves its queue in the same step. root: of its agent's queue's keys.
local function end_job(root)
  local id = task_id .. '.' .. (was[SCHEDULED] or '')
  ended_jobs[#ended_jobs + 1] = { root = queue_of(root), id = id, token = was[TOKEN] }
end

-- The turn has its outcome, and its message has left the inbox. root: of its agent's queue's keys; options: of the
-- job that takes over, as in add-jobs.lua, or '': this one goes on.
local function settle(record, root, options)
  -- An agent that asks a question back must not make an accepted cancel forgotten.
  if record.cancel ~= '' then
    finish(record, 'X')
    end_job(root)
    return 'canceled'
  end
  -- "Nothing waits" and "no job" in one step: a message that comes now schedules a job with a new number.
  if record.inbox == 0 then
    record.scheduled, record.started, watch = 0, 0, false
    end_job(root)
    return 'idle'
  end
  watch = true
  withdraw_question(record)
  if options == '' then return 'more' end
  schedule(record, root, options)
  end_job(root)
  return 'successor'
end

-- The message has spent its attempts: the task ends as FAILED, and the message is kept as a dead letter for as long as
-- the task: what is needed to look into it, and to send it again.
-- dead_key: zset of dead letters; entry: the message's in the inbox; reason: as JSON text, for the client, too
local function give_up(record, dead_key, entry, reason)
  local letter_key = task_key .. ':d'
  redis.call('HSET', letter_key, 'owner', record.owner, 'context', record.context, 'attempts', record.attempts,
    'entry', entry, 'reason', reason)
  redis.call('PEXPIRE', letter_key, retention_ms)
  redis.call('ZADD', dead_key, now_ms(), task_id)
  redis.call('ZREMRANGEBYSCORE', dead_key, '-inf', now_ms() - retention_ms)
  redis.call('PEXPIRE', dead_key, retention_ms)
  record.released = record.accepted - record.inbox + 1
  local message = '{"messageId":"' .. task_id .. '.given-up.' .. record.epoch
    .. '","role":"ROLE_AGENT","parts":[{"text":' .. reason .. '}]}'
  finish(record, 'F', { message = message, released = record.released })
  remember(message)
end
