-- stateNames: the states of a task by their letters. Capital letters are terminal. There are also h: submitted, and
-- hidden until the agent's first event; and M: ended with a plain Message.

local STATES = {
  s = 'SUBMITTED', w = 'WORKING', i = 'INPUT_REQUIRED', a = 'AUTH_REQUIRED',
  C = 'COMPLETED', F = 'FAILED', X = 'CANCELED', R = 'REJECTED',
}
