-- The changes that a message, a turn, a cancel and the sweeper may make to a task. Included after commit.lua.
-- A rule changes the record; the script commits it. docs/turns.md explains the rules. Needs fields.lua and server.lua.

--- @include "@switchyard/redis/timestamps.lua"
--- @include "status.lua"

-- The extension docs/extensions/suspended.md.
local SUSPENDED_URI = 'https://switchyard.dev/a2a/extensions/suspended/v1'

local function with_member(object, member)
  if object == '' or object == '{}' then return '{' .. member .. '}' end
  return object:sub(1, -2) .. ',' .. member .. '}'
end

-- Emits a status event, which the script composes because its timestamp is Redis' time. details, all optional: message,
-- metadata (JSON or ''), answered (number of the message that it answers or acknowledges), is_reply (the message is
-- the outcome), is_again (the task is submitted again, without a new message).
local function emit_status(record, state, details)
  details = details or {}
  local fields = record.changes.fields
  local message, metadata = details.message or '', details.metadata or ''
  -- What the task has used of models is said whenever it ends, or waits for its client.
  if record.has_other_keys ~= 0 and (is_terminal(state) or is_waiting(state)) then
    --- @include "usage-text.lua"
    local usage = usage_text(record.key)
    if usage then
      fields.usage = usage
      metadata = with_member(metadata, usage)
    end
  end
  record.state, record.time = state, sortable(now_ms())
  -- Of the status the record has only the message: state and time say the rest. A task that has ended gets no more
  -- history, so the number of bytes from the end of its history tells the message, if it is the last one there.
  local history = record.changes.texts.h
  local is_last = is_terminal(state) and message ~= '' and history and history[#history] == ',\t' .. message
  fields.status = is_last and ('%d'):format(#message) or message
  local json = status_update(record.id, record.context, status_text(state, timestamp(now_ms()), message), metadata)
  emit(record, json, new_incarnation(), details.answered, details.is_reply and 'm' or details.is_again and 'a')
end

-- The message of the turn leaves the inbox, and with it the `given` messages behind it, which the turn was given while
-- it ran.
local function pop_message(record, given)
  local changes = record.changes
  if record.inbox == record.messages then changes.popped, changes.fields.initial_entry = given, false
  else changes.popped = given + 1 end
  if given > 0 then changes.fields.given = false end
  record.inbox = record.inbox - 1 - given
end

-- Ends the wait of a suspended turn (suspended.lua): the metadata no longer say what it waits for. commit() takes
-- it off the list.
local function end_wait(record)
  local said = '"' .. SUSPENDED_URI .. '":' .. record.waits
  local metadata = redis.call('HGET', record.key, 'metadata') or ''
  local from, to = metadata:find(said, 1, true)
  if from then
    if metadata:sub(to + 1, to + 1) == ',' then to = to + 1
    elseif metadata:sub(from - 1, from - 1) == ',' then from = from - 1 end
    metadata = metadata:sub(1, from - 1) .. metadata:sub(to + 1)
    record.changes.fields.metadata = metadata ~= '{}' and metadata
  end
  record.waits = ''
end

-- Ends the task. The last event names the messages that still wait: not that of an open turn.
local function finish(record, state, details)
  local changes, task_key = record.changes, record.key
  local fields = changes.fields
  if record.turn ~= '' then pop_message(record, 0) end
  if record.waits ~= '' then end_wait(record) end
  record.begin_by = ''
  if record.inbox > 0 then
    local dropped = redis.call('LRANGE', task_key .. ':i', changes.popped, -1)
    if record.inbox == record.messages then
      table.insert(dropped, 1, redis.call('HGET', task_key, 'initial_entry'))
      fields.initial_entry = false
    end
    for i, entry in ipairs(dropped) do dropped[i] = entry:sub(1, entry:find('\n', 1, true) - 1) end
    local named = '"switchyard.droppedMessageIds":[' .. table.concat(dropped, ',') .. ']'
    details = details or {}
    details.metadata = with_member(details.metadata or '', named)
    local metadata = fields.metadata
    if metadata == nil then metadata = redis.call('HGET', task_key, 'metadata') end
    fields.metadata = with_member(metadata or '', named)
  end
  record.inbox, record.job, record.started, record.attempts = 0, 0, 0, 0
  record.turn, record.token, record.cancel, record.later = '', '', '', ''
  changes.in_outbox = false
  emit_status(record, state, details)
end

-- Adds a job with a new number: an add under the number of a job that is just completing would be lost. root: of the
-- keys of the agent's own queue; the others: as in add-jobs.lua.
local function enqueue(record, root, is_awaited, is_begun)
  record.jobs = record.jobs + 1
  record.job, record.started = record.jobs, 0
  record.changes.in_outbox = true
  --- @include "../queue/add-jobs.lua"
  local job = { record.id .. '.' .. record.job, record.owner:match('^[^/]*') }
  add_jobs(queue_of(record, root), job, level_of_jobs(record), is_awaited, is_begun)
end

-- A task is never input-required or auth-required while a message waits or a new attempt runs: a poller would read the
-- old question as the answer to its message, and end-turn.lua would read it as the outcome of the new attempt.
local function withdraw_question(record)
  if is_waiting(record.state) then emit_status(record, 's', { is_again = true }) end
end
