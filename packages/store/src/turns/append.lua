-- Writes the events of one turn, or of several turns that end at the same time, to their tasks. For events that
-- only extend an artifact there is the faster append-chunks.lua, and for the end of a task with one message the faster
-- end-tasks.lua: they write the same.
--
-- KEYS  tasks_root      prefix of the keys of tasks; made from it: the keys of record.lua, and <task>:<text>:<seq>
--                       (string), a growing text that has outgrown the hash
--       outbox          as in record.lua
--       index_root
--       push
-- ARGV  sweep_after_ms  as in record.lua
--       kept_events
--       replay_ms
--       retention_ms
--       inline_bytes
--       turns*          one turn after the other, each of another task; of each:
--                         task id
--                         root of the keys of its agent's own queue, see add-jobs.lua
--                         fencing token
--                         number of the first event within the turn
--                         '1' if a message that waits gets another job, because this job has run its share of turns; ''
--                         number of events, and number of their arguments
--                         the events, as encoder.ts writes them
-- An event:
--       `notes` and the notes as in note.lua, one a line: if the agent did something besides its events
--       `failure` and why, as in failures.lua: if it ends a turn that failed
--       `step`, the step's key and its mark (see begin-step.lua): if a step published it
--       `delivered` and ids as in delivered.lua: if it answers messages besides the turn's own
--       its kind, the task's metadata after it (JSON; '' if unchanged), and
--         status    letter   '1' if it is the turn's outcome   its effect on the caller ('' | answered | reply)
--                   message (JSON or '')   '1' if the history lacks the message   metadata of the event (JSON or '')
--         artifact  the event (JSON)   number of the artifact   append|replace   header   first   parts   last
--           header  its JSON without parts and closing brace; '' if unchanged
--           first   how the first part begins, ',{"text":"', if it is plain text; else ''
--           parts   JSON, each after a comma; the last one without '"}' if it is plain text
--           last    how that open last part begins; else ''
-- Returns  for each turn { verdict, cancel ('' | '1') }
--       appended | fenced (another run owns the task, or it has ended) | gap (a fail-over lost earlier events:
--         run the turn again) | more (begin the next turn)
--       and, if this job is done and has left its queue: successor (another job runs the next turn) | idle | canceled
--         (a cancel was waiting for the outcome)
-- A batch is written up to the first event that is refused, as if each event had been sent alone.
--
-- Invariant: only the open turn writes, each of its events once; the task is the fold of exactly the events written and
-- the messages accepted. An outcome is written in the step in which the message it answers leaves the inbox.
-- Cost: proportional to the size of the events.

local tasks_root, outbox_key, index_root, push_key = unpack(KEYS)
local sweep_after_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 5)

--- @include "@switchyard/redis/server.lua"
--- @include "../record/fields.lua"
--- @include "../record/commit.lua"

local ARITY = { status = 8, artifact = 9 }

-- Each writes an event of a turn, and returns a verdict. append: the record; queue_root; ends_job; delivered: number of
-- messages that the turn was given besides its own
local write = {}

-- A turn's first event gets an incarnation made from its run, in the range of new_incarnation; later artifact events
-- repeat that of the event before.
-- A status always gets a new one: if it is sent again after a fail-over, events that follow it differ from lost ones.
local function next_incarnation(record)
  if record.turn_seq == 1 then return tonumber(record.run, 36) % 60466175 + 1 end
  local events = record.changes.events
  return events[#events - 2] or record.incarnation
end

function write.artifact(append, json, n, mode, header, first, parts, last)
  local record = append.record
  local texts, fields = record.changes.texts, record.changes.fields
  if record.state == 'h' then record.state = 's' end -- no longer hidden: see make-tasks.lua
  emit(record, json, next_incarnation(record))
  local name, open_name = 'p' .. n, 'o' .. n
  local text = texts[name]
  if not text then
    local open, inside, outside = unpack(redis.call('HMGET', record.key, open_name, name, '@' .. name))
    if not open then fields.artifacts = n end
    text = { open = open, inside = inside, outside = outside }
    texts[name] = text
  end
  if header ~= '' then fields['a' .. n] = header end
  if mode == 'replace' then
    if text.open then text = drop_text(record, name) end
  elseif parts == '' then
    last = text.open or ''
  elseif text.open and text.open ~= '' then
    parts = text.open == first and parts:sub(#first + 1) or '"}' .. parts
  end
  if text.open ~= last then
    text.open = last
    fields[open_name] = last
  end
  if parts ~= '' then add_text(record, name, parts) end
  return 'appended'
end

local allows_out_of_memory, replies, index_changes, ended_jobs = false, {}, {}, {}

-- Appends the events of the turn at this place in ARGV. Returns the place of the next one.
local function append_turn(at)
  local task_id, queue_root, fence, number, ends_job, count, after = unpack(ARGV, at, at + 6)
  number, at = tonumber(number), at + 7
  after = at + after
  local record = load_record(task_id, tasks_root .. task_id)
  local append = { record = record, queue_root = queue_root, ends_job = ends_job }

  local verdict = 'fenced'
  for n = number, record and number + count - 1 or 0 do
    local notes, failure, step, mark, delivered_ids
    if ARGV[at] == 'notes' then
      notes, at = ARGV[at + 1], at + 2
    end
    if ARGV[at] == 'failure' then
      failure, at = ARGV[at + 1], at + 2
    end
    if ARGV[at] == 'step' then
      step, mark = ARGV[at + 1], ARGV[at + 2]
      at = at + 3
    end
    if ARGV[at] == 'delivered' then
      delivered_ids, at = ARGV[at + 1], at + 2
    end
    local kind, metadata = ARGV[at], ARGV[at + 1]
    if n <= record.turn_seq and fence == last_fence(record) then
      -- The event was written before: its command was sent twice. After an outcome `more` is always correct: it makes
      -- the worker run begin-turn.lua, which decides.
      verdict = record.turn == fence and 'appended' or 'more'
    elseif fence ~= record.turn then
      -- This also keeps terminal states final: the end of a task closes its turn.
      verdict = 'fenced'
      break
    elseif n > record.turn_seq + 1 then
      -- A fail-over lost earlier events, which the worker had seen written when it encoded this one.
      verdict = 'gap'
      break
    else
      append.delivered = 0
      if delivered_ids then
        --- @include "delivered.lua"
        append.delivered = count_delivered(record, delivered_ids)
      end
      -- A fail-over lost messages that the turn was given while it ran.
      if not append.delivered then
        verdict = 'gap'
        break
      end
      record.turn_seq = n
      if kind == 'status' and not write.status then
        --- @include "write-status.lua"
        write.status = write_status
      end
      local is_outcome = kind == 'status' and ARGV[at + 3] == '1'
      if is_outcome and not allows_out_of_memory then
        allow_out_of_memory(outbox_key)
        allows_out_of_memory = true
      end
      if notes then
        --- @include "../record/note.lua"
        note_lines(record.key, fence, notes)
        record.has_other_keys = 1
      end
      if failure then
        --- @include "../record/failures.lua"
        keep_failure(record, failure)
      end
      if step then redis.call('HSET', record.key .. ':s', 'mark ' .. step, mark) end
      if metadata ~= '' then record.changes.fields.metadata = metadata end
      verdict = write[kind](append, unpack(ARGV, at + 2, at + ARITY[kind] - 1))
    end
    at = at + ARITY[kind]
  end

  if record and #record.changes.events > 0 then
    commit(record, index_changes)
    ended_jobs[#ended_jobs + 1] = record.changes.ended_job
  end
  -- A run that lost its turn still writes: the record keeps when it first did.
  if verdict == 'fenced' and record then
    redis.pcall('HSETNX', record.key, 'f' .. fence:match('^%d*'), ('%.0f'):format(now_ms()))
  end
  replies[#replies + 1] = { verdict, record and record.cancel or '' }
  return after
end

local function append_all()
  local at = 6
  while ARGV[at] do at = append_turn(at) end
end

-- A damaged record fails the script. Tasks that were written before it get their places in the indexes nevertheless.
local is_sound, problem = pcall(append_all)
write_indexes(index_changes)
if not is_sound then return redis.error_reply(type(problem) == 'table' and problem.err or problem) end
if #ended_jobs > 0 then
  --- @include "../queue/finish-jobs.lua"
  finish_jobs(ended_jobs)
end
return replies
