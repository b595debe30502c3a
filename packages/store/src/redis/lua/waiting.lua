-- waiting: states in which a task waits for its client.

local function is_waiting(state) return state == 'i' or state == 'a' end
