-- begin: a run of a job asks for the first message of the task's inbox. Needs all that record.lua has.
--
-- job: its number; started: how often the queue has started it, this time included; token: of its lock; run: random id
-- dead_key: zset, tasks whose message was given up → ms; made from the task's key, its letter <task>:d (hash)
-- max_attempts: that a message gets; large_bytes: from which parts of an artifact are not copied through Lua
-- while_working: as in fields.lua
-- waited_ms: that its job has waited, which is being taken, and can wait until a process can run it alone; nil: it was
--   taken before
-- Returns  { verdict } | { 'turn', fencing token: `<epoch>.<run>`, attempt, cancel ('' | '1'), inbox entry, owner,
--          the process that lost the turn or '', the skill in whose queue the job is or '', and then the task: pieces …
--          (see pieces.lua) }
--       turn | stale, missing (there is nothing for this job: complete it) | canceled, exhausted (the task has ended)
--       | suspect (it is to run alone: see isolation.ts)
-- Invariant: one turn is open at a time; taking it over gives out a new fencing token and spends an attempt.
-- A message that was given up is in `dead`, with what is needed to look into it and send it again, as long as its task.

--- @include "../tasks/pieces.lua"

-- Loaded with the record, for the worker that runs the turn.
local STATUS, METADATA, INSIDE, INITIAL = HISTORY + 1, HISTORY + 2, HISTORY + 3, HISTORY + 4
FIELDS[STATUS], FIELDS[METADATA], FIELDS[INSIDE], FIELDS[INITIAL] = 'status', 'metadata', 'h', 'initial_entry'

-- Of which the record tells how they went; see fields.lua.
local KEPT_ATTEMPTS = 16

-- Of the tasks whose turn began: when the sweeper may look after them. The script that includes this writes them.
local due = {}

local function inbox_head() return was[INITIAL] or redis.call('LINDEX', inbox_key, '0') end

-- A lock's token starts with its process, `<process>:…`, and says if the run had that to itself, `…:alone:<number>`.
local function process_of(token) return token:match('^[^:]+:') end
local function is_shared(token) return process_of(token) and not token:find(':alone:', 1, true) end

local function begin_turn(job, started, token, run, dead_key, max_attempts, large_bytes, while_working, waited_ms)
  local record = load_record()
  if not record then return { 'missing' } end
  -- A late add, an old successor, a job of a task that ended or has nothing to do.
  if job ~= record.scheduled then return { 'stale' } end

  local lost_by = ''
  local function turn()
    local reply = { 'turn', record.turn, record.attempts, record.cancel, inbox_head(), record.owner, lost_by,
      was[QUEUE] or '' }
    put_pieces(reply, '', 'all', large_bytes,
      record.context, was[STATUS], was[METADATA], was[ARTIFACTS], was[INSIDE], was[HISTORY])
    return reply
  end

  local is_open = record.turn ~= ''
  if is_open and token == record.token then
    -- Sent twice: its reply was lost. A second attempt must not be counted.
    if run == record.run then return turn() end
    -- The owner asks for its next turn: a fail-over has forgotten how this one ended. It runs again, for free.
    record.attempts = record.attempts - 1
  elseif started < record.started or (is_open and started == record.started) then
    -- Only a later start of the job takes over; an earlier one is a zombie that woke up before its beginTurn.
    -- An equal one is the job added anew after the queue lost it: it waits until the sweeper finds the owner silent.
    return { 'stale' }
  end

  -- The process of the run before this one is gone, or was taken for gone. One that takes its own turn again was cut
  -- off from Redis, and has not died: that spends no attempt.
  local is_taken_over = is_open and token ~= record.token
  local is_own = is_taken_over and process_of(token) and process_of(token) == process_of(record.token)
  if is_own then record.attempts = record.attempts - 1 end
  if is_taken_over and not is_own then lost_by = record.token:match('^[^:]*') end
  local died_among_others = is_taken_over and not is_own and is_shared(record.token)
  -- What killed it may have been another turn. The last attempt is not to be spent on that: it runs alone.
  local is_last = record.attempts + 1 >= tonumber(max_attempts)
  if died_among_others and waited_ms and is_shared(token) and is_last then return { 'suspect' } end

  local function open()
    record.epoch, record.run = record.epoch + 1, run
    record.turn, record.token, record.started, record.turn_seq = last_fence(record), token, started, 0
    record.attempts, record.sweeps, record.while_working = record.attempts + 1, 0, while_working
    -- Of each attempt: when it began, its number, how long its job had waited, where, and if it took a turn over.
    others['l' .. record.epoch] = ('%.0f %d %d %s%s'):format(now_ms(), record.attempts, waited_ms or 0,
      token:match('^[^:]*'), is_taken_over and ' t' or '')
    if record.epoch > KEPT_ATTEMPTS then
      for name in ('lef'):gmatch('.') do others[name .. record.epoch - KEPT_ATTEMPTS] = false end
    end
  end

  local left = max_attempts - record.attempts
  local is_exhausted = left < 0 or (left == 0 and not died_among_others)
  if record.cancel == '' and not is_exhausted and not is_waiting(record.state) then
    open()
    -- Read before anything is written: a record that cannot be read is charged no attempt.
    local reply = turn()
    write_fields(record)
    due[#due + 1], due[#due + 2] = now_ms() + sweep_after_ms, task_id
    return reply
  end

  --- @include "../record/commit.lua"
  --- @include "../record/rules.lua"

  if record.cancel == '' and not is_exhausted then
    open()
    watch = true
    withdraw_question(record)
    commit(record)
    load_record()
    return turn()
  end

  allow_out_of_memory(task_key)
  record.sweeps = 0
  if record.cancel ~= '' then
    finish(record, 'X')
    commit(record)
    return { 'canceled' }
  end

  -- Counted here and not by the queue: a message that kills its worker never gets to report a failure.
  --- @include "outcome.lua"
  give_up(record, dead_key, inbox_head(), '"The agent stopped unexpectedly ' .. max_attempts
    .. ' times while working on this message; it was given up."')
  commit(record)
  return { 'exhausted' }
end
