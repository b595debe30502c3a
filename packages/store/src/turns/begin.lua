-- Begins a turn for a run of a job, with the first message of the task's inbox. Needs fields.lua, server.lua and
-- the settings of record.lua. For the first turn of most tasks there is the faster begin-first.lua.
--
-- start, what differs for each job:
--   task_id, task_key
--   job            its number
--   started        how often the queue has started it, this time included
--   token          of the job's run, see running.lua
--   waited_ms      how long the job waited, if this script takes it: then it can put back a suspect; nil: it was taken
--                  before
--   is_unreadable  the message is given up, because the record cannot be read
-- worker, the same for all jobs of the script:
--   run            the second part of their fencing tokens, another one for each turn of a job's run: begin-reply.ts
--   dead_key       zset, task → ms when its message was given up; made from the task's key: the dead letter <task>:d
--                  (hash)
--   max_attempts   attempts that a message gets
--   large_bytes    texts from this size on are not copied through Lua
--   while_working  what happens to a message that arrives while the turn runs: the field of the record
--   due            for the outbox: when the sweeper may check the tasks whose turns began, and their ids. begin_turn
--                  adds to them, and the including script writes them
-- Returns  { verdict } | { 'turn', fencing token: `<epoch>.<run>`, attempt, cancel ('' | '1'), inbox entry, owner,
--          the process that lost the turn or '', the skill whose queue has the job or '', and then the task: pieces …
--          (see pieces.lua) }
--       turn | stale (the job has nothing to run: end it) | missing (no such task, or not yet: run-job.ts)
--       | canceled, exhausted (the task has ended)
--       | rejected (the message, because its time to live has ended: begin-by.lua. Begin again: another may wait)
--       | suspect (it must run alone: see isolation.ts)
-- Invariant: one turn is open at a time. Taking it over gives out a new fencing token, and spends an attempt unless a
-- process takes over its own turn. A message that was given up is in `dead` as long as its task is kept, with what an
-- operator needs to inspect it and send it again.

--- @include "../tasks/read/pieces.lua"
--- @include "begun.lua"

-- Fields that are loaded with the record, for the worker that runs the turn.
local STATUS, METADATA, INSIDE, INITIAL, SHARED = HISTORY + 1, HISTORY + 2, HISTORY + 3, HISTORY + 4, HISTORY + 5
local function fields_of_turn()
  local names = { unpack(FIELDS) }
  names[STATUS], names[METADATA], names[INSIDE], names[INITIAL] = 'status', 'metadata', 'h', 'initial_entry'
  names[SHARED] = 'shared'
  return names
end

-- Number of attempts whose times the record keeps, in l<epoch>, e<epoch> and f<epoch>.
local KEPT_ATTEMPTS = 16

-- The token of a run is `<process>:…`, or `<process>:…:alone:<number>` if the run has its process to itself, unless the
-- record has it as `shared`: see share-run.lua.
local function process_of(token) return token:match('^[^:]+:') end
local function is_shared(token) return process_of(token) and not token:find(':alone:', 1, true) end

local function begin_turn(start, worker)
  local task_id, task_key, job, started, token, waited_ms =
    start.task_id, start.task_key, start.job, start.started, start.token, start.waited_ms
  local run, max_attempts = worker.run, tonumber(worker.max_attempts)
  local record = load_record(task_id, task_key, fields_of_turn())
  if not record then return { 'missing' } end
  -- The job was added too late, or is an old successor, or its task has ended or has no message waiting, or the turn is
  -- suspended.
  if job ~= record.job or record.waits ~= '' then return { 'stale' } end

  local lost_by = ''
  -- Fails if the record is damaged.
  local function reply_of_turn()
    local loaded = record.loaded
    if record.owner == '' or record.context == '' or not record.time:find('^%w%w%w%w%w%w%w%w$') then
      error(('the record has the owner "%s", the context "%s" and the time "%s"')
        :format(record.owner, record.context, record.time), 0)
    end
    local first = loaded[INITIAL] or redis.call('LINDEX', task_key .. ':i', '0')
    local reply = { 'turn', record.turn, record.attempts, record.cancel, first, record.owner, lost_by,
      loaded[SKILL] or '' }
    local values = { record.context, record.state, record.time, loaded[STATUS], loaded[METADATA], loaded[ARTIFACTS],
      loaded[INSIDE], loaded[HISTORY] }
    put_pieces(reply, task_id, task_key, values, '', 'all', worker.large_bytes)
    return reply
  end

  local is_open = record.turn ~= ''
  if is_open and token == record.token then
    -- The command was sent twice, because its reply was lost: no second attempt is counted.
    if run == record.run then return reply_of_turn() end
    -- The process asks for its next turn, but a fail-over lost the end of this one: it runs again, and spends no
    -- attempt.
    record.attempts = record.attempts - 1
  elseif started < record.started or (is_open and started == record.started) then
    -- Only a later start of the job takes over.
    -- `started` is smaller: the process was suspended before its begin-turn.lua, and another one has started the job.
    -- `started` is equal: the queue had lost the job, and a retry of the message has added the job again. The open turn
    --   may go on; if its process is silent, the sweeper sets the record's `started` to 0.
    return { 'stale' }
  end

  -- The previous run's process died, or was presumed dead. A process that takes over its own turn was cut off from
  -- Redis and did not die: that spends no attempt.
  local is_taken_over = is_open and token ~= record.token
  local is_own = is_taken_over and process_of(token) and process_of(token) == process_of(record.token)
  if is_own then record.attempts = record.attempts - 1 end
  if is_taken_over and not is_own then lost_by = record.token:match('^[^:]*') end
  if lost_by ~= '' then
    -- The process that ended the lost one may have said why: see record-failure.lua.
    local reason = redis.call('HGET', task_key, 'reason')
    if not reason or tonumber(reason:match('^%d+')) ~= record.epoch then
      record.changes.fields.reason = record.epoch
        .. ' worker-lost Worker ' .. lost_by .. ' stopped while it ran the attempt.'
    end
  end
  local was_shared = is_shared(record.token) or record.loaded[SHARED] == record.token
  local died_among_others = is_taken_over and not is_own and was_shared
  -- We do not know which of its turns killed that process. So the last attempt runs alone.
  local is_last = record.attempts + 1 >= max_attempts
  if died_among_others and waited_ms and is_shared(token) and is_last then return { 'suspect' } end

  local function open()
    local fields = record.changes.fields
    record.epoch, record.run = record.epoch + 1, run
    record.turn, record.token, record.started, record.turn_seq = last_fence(record), token, started, 0
    record.attempts, record.sweeps, record.while_working = record.attempts + 1, 0, worker.while_working
    if record.loaded[SHARED] then fields.shared = false end
    fields['l' .. record.epoch] = begun_text(record.attempts, waited_ms or 0, token, is_taken_over)
    if record.epoch > KEPT_ATTEMPTS then
      for name in ('lef'):gmatch('.') do fields[name .. record.epoch - KEPT_ATTEMPTS] = false end
    end
  end

  local left = max_attempts - record.attempts
  local is_exhausted = start.is_unreadable or left < 0 or (left == 0 and not died_among_others)
  if record.cancel == '' and not is_exhausted and not is_waiting(record.state) and record.begin_by == '' then
    open()
    -- The reply is made before anything is written: a record that cannot be read spends no attempt.
    local reply = reply_of_turn()
    write_fields(record)
    local due = worker.due
    due[#due + 1], due[#due + 2] = now_ms() + sweep_after_ms, task_id
    return reply
  end

  --- @include "../record/commit.lua"
  --- @include "../record/rules.lua"

  --- @include "../record/begin-by.lua"
  local must_begin_by = record.cancel == '' and begin_by_ms(record)
  if must_begin_by and must_begin_by <= now_ms() then
    allow_out_of_memory(task_key)
    reject_message(record)
    commit(record)
    return { 'rejected' }
  end
  record.begin_by = ''

  if record.cancel == '' and not is_exhausted then
    open()
    record.changes.in_outbox = true
    withdraw_question(record)
    commit(record)
    record = load_record(task_id, task_key, fields_of_turn())
    return reply_of_turn()
  end

  allow_out_of_memory(task_key)
  record.sweeps = 0
  if record.cancel ~= '' then
    finish(record, 'X')
    commit(record)
    return { 'canceled' }
  end

  -- Attempts are counted here and not by the queue: a worker that its message kills cannot report a failure.
  --- @include "outcome.lua"
  give_up(record, worker.dead_key, start.is_unreadable
    and '"What is stored of this task is damaged: no agent can work on the message; it was given up."'
    or '"The agent stopped unexpectedly ' .. max_attempts .. (max_attempts == 1 and ' time' or ' times')
      .. ' while working on this message; it was given up."')
  commit(record)
  return { 'exhausted' }
end
