-- The fields of a task's hash (docs/redis-keys.md says what they are), and the record that scripts load of
-- them. A field that is empty or 0 is not stored.
--
-- write_fields() writes them, from the record and its changes. The files named here write a field themselves, or set it
-- in the changes: test/record/record-fields.test.ts compares. `<>` is a number, or the name of a text.
--   owner              make-tasks
--   context            make-tasks
--   state              end-tasks make-tasks set-visibility
--   time               end-tasks make-tasks
--   status             end-tasks rules
--   index_time         end-tasks make-tasks
--   seq                append-chunks end-tasks make-tasks
--   incarnation        append-chunks end-tasks
--   inbox_version
--   messages           make-tasks
--   answered           end-tasks
--   h                  end-tasks make-tasks
--   @h                 make-tasks
--   artifacts          append
--   a<>                append
--   p<>                append-chunks
--   o<>                append
--   @<>                texts
--   metadata           append change-schedule more-of-task rules suspended
--   inbox              end-tasks make-tasks
--   initial_entry      end-tasks make-tasks rules
--   given              read-waiting rules
--   job                end-tasks make-tasks
--   jobs               make-tasks
--   skill              more-of-task
--   epoch              begin-first
--   run                begin-first
--   turn               begin-first end-tasks
--   turn_seq           append-chunks end-tasks
--   l<>                begin begin-first
--   e<>                commit
--   f<>                append append-chunks
--   token              begin-first end-tasks
--   started            begin-first end-tasks
--   attempts           begin-first end-tasks
--   reason             begin begin-by failures record-failure
--   webhooks           delivery-queues more-of-task
--   cancel
--   has_other_keys     begin-step begin-wait caller check-budget delivery-queues give-event make-callback
--                      more-of-task open-conversation record-failure record-usage
--   has_context_index  make-tasks
--   request            make-tasks
--   retry_names        add-message make-tasks
--   caller             make-tasks
--   awaited            add-message make-tasks suspended
--   later              make-tasks
--   schedule           change-schedule make-tasks
--   schedule_id        more-of-task
--   sweeps             claim-tasks
--   while_working      begin-first
--   shared             begin share-run
--   usage              rules
--   waits
--   level              more-of-task
--   begin_by           more-of-task
--   late               begin-by
--   wakes              commit

--- @include "../queue/queue-root.lua"

local FIELDS = {
  'state', 'cancel', 'webhooks', 'seq', 'epoch', 'run', 'turn', 'turn_seq', 'time', 'token', 'owner', 'context',
  'started', 'attempts', 'job', 'jobs', 'messages', 'answered', 'inbox', 'has_other_keys', 'has_context_index',
  'sweeps', 'incarnation', 'inbox_version', 'index_time', 'while_working', 'later', 'waits', 'level', 'begin_by',
  'skill', 'artifacts', '@h', -- not part of the record, but an end needs them
}
-- Where some of them are in `loaded`; the first ALL are the record.
local STATE, EPOCH, TURN, TIME, TOKEN, JOB, INCARNATION, LATER, WAITS, BEGIN_BY, SKILL, ALL, ARTIFACTS,
  HISTORY = 1, 5, 7, 9, 10, 15, 23, 27, 28, 30, 31, 30, 32, 33

-- States in which a task waits for its client, and in which it has ended.
local function is_waiting(state) return state == 'i' or state == 'a' end
local function is_terminal(state) return state:upper() == state end

-- Loads a task. Besides the fields of the record, the table has:
--   id, key      of the task
--   loaded       the values as stored, in the order of FIELDS; false: not stored
--   changes      what else a script changes, and commit() writes:
--     fields     other fields: the status, texts, artifacts, metadata; false: to be removed
--     texts      see texts.lua
--     events     see events.lua
--     popped     messages that leave the list of the inbox
--     in_outbox  true: the task goes (back) into the outbox; false: it leaves it; nil: no change
--     check_after_ms  after which the sweeper checks it; nil: sweep_after_ms
--     turn_end   how the turn ends, if it does: r given back, q requeued for a retry, w it waits; nil:
--                settled
--     ended_job  the job that leaves its queue, see finish-jobs.lua
-- names: FIELDS, or these and more
-- One expression makes the table: to add its fields one by one would cost more than the command.
local function load_record(task_id, task_key, names)
  local loaded = redis.call('HMGET', task_key, unpack(names or FIELDS))
  local state, cancel, webhooks, seq, epoch, run, turn, turn_seq, time, token, owner, context, started, attempts,
    job, jobs, messages, answered, inbox, has_other_keys, has_context_index, sweeps, incarnation, inbox_version,
    index_time, while_working, later, waits, level, begin_by =
    unpack(loaded)
  return state and {
    id = task_id, key = task_key, loaded = loaded,
    changes = { fields = {}, texts = {}, events = {}, popped = 0 },
    state = state, cancel = cancel or '', webhooks = webhooks or '', seq = tonumber(seq or 0),
    epoch = tonumber(epoch or 0), run = run or '', turn = turn or '', turn_seq = tonumber(turn_seq or 0),
    time = time or '', token = token or '', owner = owner or '', context = context or '',
    started = tonumber(started or 0), attempts = tonumber(attempts or 0), job = tonumber(job or 0),
    jobs = tonumber(jobs or 0), messages = tonumber(messages or 0), answered = tonumber(answered or 0),
    inbox = tonumber(inbox or 0), has_other_keys = tonumber(has_other_keys or 0),
    has_context_index = tonumber(has_context_index or 0), sweeps = tonumber(sweeps or 0),
    incarnation = tonumber(incarnation or 0), inbox_version = tonumber(inbox_version or 0),
    index_time = index_time or '', while_working = while_working or '', later = later or '', waits = waits or '',
    level = level or '', begin_by = begin_by or '',
  }
end

-- The root of the keys of the queue that has the task's jobs. root: of its agent's own queue
local function queue_of(record, root) return root_of_skill(root, record.loaded[SKILL]) end

-- The level of the task's jobs, as in add-jobs.lua: that of most is not stored.
local function level_of_jobs(record) return record.level == '' and 'normal' or record.level end

-- The fencing token of the turn that began last; `turn` has it while that turn is open. The epoch alone is not enough:
-- after a fail-over that lost a begin, another run gets the same number.
local function last_fence(record) return record.epoch .. '.' .. record.run end

local function write_fields(record)
  local set, gone, s, g = {}, {}, 0, 0
  local loaded, task_key = record.loaded, record.key
  for i = 1, ALL do
    local name, old = FIELDS[i], loaded[i]
    local value = record[name]
    if value == '' or value == 0 then
      if old then
        g = g + 1
        gone[g] = name
      end
    elseif not old or value ~= (type(value) == 'number' and tonumber(old) or old) then
      set[s + 1], set[s + 2] = name, value
      s = s + 2
    end
  end
  for name, value in pairs(record.changes.fields) do
    if value then
      set[s + 1], set[s + 2] = name, value
      s = s + 2
    else
      g = g + 1
      gone[g] = name
    end
  end
  if s > 0 then redis.call('HSET', task_key, unpack(set)) end
  if g > 0 then redis.call('HDEL', task_key, unpack(gone)) end
end
