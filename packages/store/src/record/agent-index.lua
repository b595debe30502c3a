-- The index of all tasks of an agent, of all their owners, for operators. Agents that are called by the URL
-- of their card share one index. Its members differ from those of other indexes in two points: all states in which only
-- the agent can act have the letter `o`, and the time is `index_time`, when the task got its letter. So a task that
-- works is not moved. An agent's index never expires: trim-index.lua removes the tasks that have expired.

local function listed_as(state)
  return (state == 's' or state == 'w' or state == 'h') and 'o' or state == 'M' and 'C' or state
end

local function agent_index(index_root, owner)
  local agent = owner:match('^.*/(.*)')
  return index_root:sub(1, -2) .. 'a:' .. (agent:sub(1, 7) == '%40http' and '%40remote' or agent)
end
