-- rules: what the scripts of a turn share. Included after record.lua.
-- Each rule changes the record and answers a verdict; the script commits. docs/turns.md explains them.

--- @include "status.lua"

-- The turn is closed and none has begun since: what is asked was done already.
local function is_over(record, fence) return record.turn == '' and fence == last_fence(record) end

-- Closes the turn and takes its message off the inbox. The message's number becomes the highest one that is answered.
local function pop(record)
  record.released = math.max(record.released, record.accepted - record.inbox + 1)
  if record.inbox == record.accepted then others.first = false else is_popped = true end
  record.inbox = record.inbox - 1
  record.turn, record.token, record.attempts = '', '', 0
end

-- The end: final, and nothing of the task is left to do. What still waited is named in the last event, not lost.
local function finish(record, letter, told)
  if record.inbox > 0 then
    local dropped = redis.call('LRANGE', inbox_key, is_popped and 1 or 0, -1)
    if record.inbox == record.accepted then
      table.insert(dropped, 1, redis.call('HGET', task_key, 'first'))
      others.first = false
    end
    for i, entry in ipairs(dropped) do dropped[i] = entry:sub(1, entry:find('\n', 1, true) - 1) end
    local named = '"switchyard.droppedMessageIds":[' .. table.concat(dropped, ',') .. ']'
    told = told or {}
    told.metadata = with_member(told.metadata or '', named)
    others.metadata = with_member(others.metadata or redis.call('HGET', task_key, 'metadata') or '', named)
  end
  record.inbox, record.scheduled, record.turn, record.token, record.started, record.attempts, record.cancel = 0, 0, '', '', 0, 0, ''
  is_due = false
  say_status(record, letter, told)
end

-- A job with a new number: an add under the number of a job that is just completing would be swallowed.
local function schedule(record, root, options, is_awaited)
  record.jobs = record.jobs + 1
  record.scheduled, record.started = record.jobs, 0
  is_due = true
  --- @include "../../queue/add-jobs.lua"
  add_jobs(root, { task_id .. '.' .. record.scheduled }, options, is_awaited)
end

-- input-required and auth-required never stand while a message waits or a new attempt runs: a poller would take the old
-- question for the answer to its message, and endTurn for the outcome of the new attempt.
local function withdraw_question(record)
  if is_waiting(record.state) then say_status(record, 's') end
end

-- The turn was its job's last one: the job leaves its queue in the same step. root: of the queue's keys.
local function end_job(root)
  ended_jobs[#ended_jobs + 1] = { root = root, id = task_id .. '.' .. (was[SCHEDULED] or ''), token = was[TOKEN] }
end

-- The turn has its outcome, and its message has left the inbox. root: of the queue's keys; options: of the job that
-- takes over, as in add-jobs.lua, or '': this one goes on.
local function settle(record, root, options)
  -- An agent that asks a question back must not make an accepted cancel forgotten.
  if record.cancel ~= '' then
    finish(record, 'X')
    end_job(root)
    return 'canceled'
  end
  -- "Nothing waits" and "no job" in one step: a message that comes now schedules a job with a new number.
  if record.inbox == 0 then
    record.scheduled, record.started, is_due = 0, 0, false
    end_job(root)
    return 'drained'
  end
  is_due = true
  withdraw_question(record)
  if options == '' then return 'more' end
  schedule(record, root, options)
  end_job(root)
  return 'successor'
end
