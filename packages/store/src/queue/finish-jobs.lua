-- Removes jobs that are done from their queues, as BullMQ's own script does with removeOnComplete. A part
-- of scripts that end turns.
--
-- jobs: for each { root, id, token }; root: as in take-jobs.lua
-- A job stays if the run with this token does not have it (any more).

--- @include "end-hold.lua"

local function finish_jobs(jobs)
  local keys = {}
  for i = 1, #jobs do
    local root, id, token = jobs[i].root, jobs[i].id, jobs[i].token
    if token and end_hold(root, id, token) then keys[#keys + 1] = root .. id end
  end
  if #keys > 0 then redis.call('DEL', unpack(keys)) end
end
