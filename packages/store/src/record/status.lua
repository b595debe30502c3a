-- The status of a task, and the event that tells it, as JSON. States have letters; capital letters are
-- terminal. There are also h: submitted, and hidden until the agent's first event; and M: ended with a plain Message.

local STATES = {
  s = 'SUBMITTED', w = 'WORKING', i = 'INPUT_REQUIRED', a = 'AUTH_REQUIRED',
  C = 'COMPLETED', F = 'FAILED', X = 'CANCELED', R = 'REJECTED',
}

-- time: ISO 8601; message: as JSON; '' none
local function status_text(state, time, message)
  return '{"state":"TASK_STATE_' .. STATES[state] .. '","timestamp":"' .. time
    .. (message ~= '' and '","message":' .. message .. '}' or '"}')
end

-- status: as JSON; metadata: of the event, as JSON; '' none
local function status_update(task_id, context, status, metadata)
  return '{"statusUpdate":{"taskId":"' .. task_id .. '","contextId":"' .. context .. '","status":' .. status
    .. (metadata ~= '' and ',"metadata":' .. metadata or '') .. '}}'
end
