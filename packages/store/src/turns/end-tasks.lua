-- Ends tasks by the outcomes of their turns, as most tasks end: one message, one turn, one status. It writes
-- what append.lua would write, at half the cost (docs/adr/0019): it reads the fields that it needs, and has few
-- functions.
--
-- KEYS  tasks_root    as in append.lua
--       outbox
--       index_root
-- ARGV  kept_events   as in record.lua
--       replay_ms
--       retention_ms
--       inline_bytes
-- EACH  task_id
--       queue_root    as in append.lua
--       fence         as in append.lua
--       number        as in append.lua
--       works         1: the status `working` comes before the outcome; else ''
--       state         letter of the outcome; it is terminal
--       message       of the outcome, as JSON, which the history lacks; '' none
--       is_reply      1: the outcome is a plain message; else ''
-- Returns  for each task: idle (as append.lua) | not-plain: append.lua must run instead, and nothing is written. The
--          turn is not open, or a cancel waits; or the task has more messages, webhooks, calls, steps, notes, or a long
--          history
-- Invariant: as append.lua.

local tasks_root, outbox_key, index_root = unpack(KEYS)
local kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 4)
local most_events, most_bytes = kept_events + 0, inline_bytes + 0
-- Where the first task begins in ARGV, and how many arguments each has.
local FIRST, SIZE = 5, 8

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/timestamps.lua"
--- @include "../queue/queue-root.lua"
--- @include "../record/indexes.lua"
--- @include "../record/status.lua"
--- @include "../record/add-event.lua"

local time, stamp = sortable(now_ms()), timestamp(now_ms())
local incarnation = ('%d'):format(new_incarnation())
local changes, ended, jobs, open, replies = {}, {}, {}, {}, {}

local function end_task(at)
  local task_id, queue_root, fence, number, works, state, message, is_reply = unpack(ARGV, at, at + SIZE - 1)
  local task_key = tasks_root .. task_id
  local turn, messages, before, seq, turn_seq, since, index_time, owner, context, job, token, last_incarnation, history,
    cancel, webhooks, has_other_keys, has_context_index, skill, artifacts =
    unpack(redis.call('HMGET', task_key, 'turn', 'messages', 'state', 'seq', 'turn_seq', 'time', 'index_time', 'owner',
      'context', 'job', 'token', 'incarnation', 'h', 'cancel', 'webhooks', 'has_other_keys', 'has_context_index',
      'skill', 'artifacts'))
  if turn ~= fence or messages ~= '1' or cancel or webhooks or has_other_keys or not history
    or (before ~= 's' and before ~= 'w') or (turn_seq or 0) + 1 ~= number + 0 then return 'not-plain' end
  if message ~= '' then history = history .. ',\t' .. message end
  local last = seq + (works == '' and 1 or 2)
  if #history > most_bytes or last > most_events then return 'not-plain' end
  -- As text: Redis converts numbers slowly.
  local last_seq = ('%d'):format(last)

  -- The first write needs no memory, so that a full Redis lets tasks end: see allow_out_of_memory.
  redis.call('PEXPIRE', task_key, retention_ms)
  local events_key, lines, known, written = task_key .. ':e', {}, last_incarnation or '0', number
  if works ~= '' then
    local event = status_update(task_id, context, status_text('w', stamp, ''), '')
    add_event(lines, events_key, known, last == 2 and '1' or ('%d'):format(last - 1), incarnation, 'w', event)
    written, known = ('%d'):format(number + 1), incarnation
  end
  local status, header = status_text(state, stamp, message), state .. (is_reply ~= '' and '1m' or '1')
  add_event(lines, events_key, known, last_seq, incarnation, header, status_update(task_id, context, status, ''))
  redis.call('HSET', task_key, 'state', state, 'seq', last_seq, 'time', time, 'index_time', time,
    'answered', '1', 'turn_seq', written, 'incarnation', incarnation, 'h', history,
    'status', message == '' and '' or ('%d'):format(#message))
  redis.call('HDEL', task_key, 'turn', 'token', 'started', 'attempts', 'job', 'inbox', 'initial_entry')
  local index, old, new = index_root .. ':' .. owner, before .. since .. task_id, state .. time .. task_id
  move(changes, index, old, new, true)
  if context ~= task_id or has_context_index then move(changes, index .. ':' .. context, old, new, true) end
  move(changes, agent_index(index_root, owner), 'o' .. index_time .. task_id, new)
  redis.call('SPUBLISH', events_key, lines[2] and lines[1] .. '\n' .. lines[2] or lines[1])
  redis.call('PEXPIRE', events_key, replay_ms)
  if artifacts then
    --- @include "../record/task-keys.lua"
    --- @include "../record/expire-texts.lua"
    expire_texts(long_texts(task_key, nil, artifacts), retention_ms)
  end
  local tenant = owner:match('^[^/]*')
  open[tenant] = (open[tenant] or 0) + 1
  ended[#ended + 1] = task_id
  jobs[#jobs + 1] = { root = root_of_skill(queue_root, skill), id = task_id .. '.' .. job, token = token }
  return 'idle'
end

local function end_all()
  for at = FIRST, #ARGV, SIZE do replies[#replies + 1] = end_task(at) end
end

-- A damaged record fails the script, as append.lua.
local is_sound, problem = pcall(end_all)
if #ended > 0 then
  write_indexes(changes)
  redis.call('ZREM', outbox_key, unpack(ended))
  --- @include "../record/open-tasks.lua"
  for tenant, count in pairs(open) do count_ended(outbox_key, tenant, count) end
  --- @include "../queue/finish-jobs.lua"
  finish_jobs(jobs)
end
if not is_sound then return redis.error_reply(type(problem) == 'table' and problem.err or problem) end
return replies
