-- Writes a status, which may be the outcome of the turn. A part of append.lua, which says what it is given.
-- Needs fields.lua and texts.lua.

--- @include "../record/rules.lua"
--- @include "outcome.lua"

local function write_status(append, state, settles, caller, message, is_new, metadata)
  local record, delivered = append.record, append.delivered
  if is_new == '1' then add_to_history(record, message) end
  local details = { message = message, metadata = metadata, is_reply = caller == 'reply' }
  if settles ~= '1' and not is_terminal(state) then
    if caller == 'answered' then
      record.answered = math.max(record.answered, record.messages - record.inbox + 1 + delivered)
      details.answered = record.answered
    end
    emit_status(record, state, details)
    return 'appended'
  end
  -- Every accepted message is answered: a completion does not end a task in which others wait. It becomes an interim
  -- `working` status.
  local is_interim = state == 'C' and record.inbox > 1 + delivered and record.cancel == ''
  pop(record, delivered)
  details.answered = record.answered
  if is_terminal(state) and not is_interim then
    local is_hidden = record.state == 'h'
    finish(record, state, details)
    -- No client was given this task: it ends with a plain Message, as after set-visibility.lua.
    if is_hidden and details.is_reply and state == 'C' and record.messages == 1 then record.state = 'M' end
    end_job(record, append.queue_root)
    return 'idle'
  end
  emit_status(record, is_interim and 'w' or state, details)
  return settle(record, append.queue_root, append.ends_job)
end
