-- agentIndex: the index of all tasks of an agent, whosever they are, for operators. All agents that are called by the
-- URL of their card share one. Members as in the other indexes, but for two things: the states in which nobody but the
-- agent can act are one letter, `o`, and the time is `listed`, when the task got its letter. So a task that works moves
-- nothing here. What has expired leaves by trim-index.lua: no index of an agent expires.

local LISTED_AS = { s = 'o', w = 'o', h = 'o', M = 'C' }

local function agent_index(index_root, owner)
  local agent = owner:match('[^/]*$')
  return index_root:sub(1, -2) .. 'a:' .. (agent:sub(1, 7) == '%40http' and '%40remote' or agent)
end
