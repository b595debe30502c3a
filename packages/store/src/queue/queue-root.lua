-- The roots of the keys of queues, as queue-names.ts makes them.

-- Of the own queue of the agent of a task. queues: prefix of the keys of the shard's queues; owner: of the task
local function root_of_agent(queues, owner)
  local agent = owner:match('[^/]*$')
  -- Remote agents share a queue. Ids of all others are the same when they are URI-encoded.
  return queues .. ':' .. (agent:sub(1, 7) == '%40http' and '@remote' or agent) .. ':'
end

-- Of the queue of a skill. root: of its agent's own queue; skill: nil or false: that queue
local function root_of_skill(root, skill) return skill and root:sub(1, -2) .. '~' .. skill .. ':' or root end
