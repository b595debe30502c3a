-- status: the events that Redis composes itself, because their time is its own. Included by rules.lua.

--- @include "sortable.lua"
--- @include "timestamp.lua"

local STATES = {
  s = 'SUBMITTED', w = 'WORKING', i = 'INPUT_REQUIRED', a = 'AUTH_REQUIRED',
  C = 'COMPLETED', F = 'FAILED', X = 'CANCELED', R = 'REJECTED',
}

local function with_member(object, member)
  if object == '' or object == '{}' then return '{' .. member .. '}' end
  return object:sub(1, -2) .. ',' .. member .. '}'
end

-- message, metadata: JSON or ''; released: number of the message that this status answers or acknowledges, or nil.
local function say_status(record, letter, told)
  local message, metadata = told and told.message or '', told and told.metadata or ''
  record.state, record.time = letter, sortable(now_ms())
  others.status = '{"state":"TASK_STATE_' .. STATES[letter] .. '","timestamp":"' .. timestamp(now_ms()) .. '"'
    .. (message ~= '' and ',"message":' .. message or '') .. '}'
  say(record, '{"statusUpdate":{"taskId":"' .. task_id .. '","contextId":"' .. record.context .. '","status":'
    .. others.status .. (metadata ~= '' and ',"metadata":' .. metadata or '') .. '}}', new_incarnation(), told and told.released, told and told.is_reply)
end
