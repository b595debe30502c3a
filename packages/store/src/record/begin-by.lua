-- Messages with a time to live, which a worker must begin in time (docs/adr/0106). Included after rules.lua.
-- Needs server.lua, texts.lua and outbox_key.
--
-- The record's `begin_by` is of the message that is next: ms by which its turn must begin, a blank, and the letter of
-- the state in which the task waited for the message, nothing if the message made the task. While the task waits for
-- its scheduled time, it is `within <ms>`, from that time on. <outbox>:begin-by (zset): task → that time.
-- Invariant: a task is in the zset <=> its record has a time in begin_by. A turn that has begun has none.

--- @include "note.lua"
--- @include "failures.lua"

local function begin_within(record, ttl_ms, before)
  local due = ('%.0f'):format(now_ms() + ttl_ms)
  record.begin_by = due .. ' ' .. before
  redis.call('ZADD', outbox_key .. ':begin-by', due, record.id)
end

-- ms by which the turn of the next message must begin; nil: there is no such time
local function begin_by_ms(record) return tonumber(record.begin_by:match('^(%d+) ') or nil) end

-- The next message is rejected. If it made the task, the task ends. Otherwise the task waits for its client again, or
-- goes on with the message behind it. For operators there is a note, `late <that time>`; of a task that ends also the
-- field `late`, and a reason.
local function reject_message(record)
  local due, before = record.begin_by:match('^(%d+) (%a?)$')
  local why = 'No worker began to work on this message by ' .. timestamp(tonumber(due))
    .. ', when its time to live ended'
  local message = '{"messageId":"' .. record.id .. '.not-begun.' .. record.seq
    .. '","role":"ROLE_AGENT","parts":[{"text":"' .. why .. ': it was rejected."}]}'
  note(record.key, record.epoch .. '', 'late ' .. due)
  record.has_other_keys = 1
  record.begin_by = ''
  record.answered = math.max(record.answered, record.messages - record.inbox + 1)
  pop_message(record, 0)
  add_to_history(record, message)
  local details = { message = message, answered = record.answered }
  if before == '' then
    record.changes.fields.late = due
    record.changes.fields.reason = reason_of(record.epoch, 'not-begun ' .. why .. '.')
    finish(record, 'R', details)
  elseif record.inbox == 0 then
    record.job, record.started, record.changes.in_outbox = 0, 0, false
    emit_status(record, before, details)
  else
    emit_status(record, 's', details)
  end
end
