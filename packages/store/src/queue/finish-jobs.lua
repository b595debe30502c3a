-- finishJobs: jobs that are done leave their queues, as BullMQ's own script has one leave that keeps no completed ones.
--
-- jobs: of each { root, id, token }; root: as in take-jobs.lua
-- One that is not (or no more) the job of the run with this token stays.

local function finish_jobs(jobs)
  local locks, keys = {}, {}
  for i = 1, #jobs do locks[i] = jobs[i].root .. jobs[i].id .. ':lock' end
  local tokens = redis.call('MGET', unpack(locks))
  for i = 1, #jobs do
    local root, id = jobs[i].root, jobs[i].id
    if tokens[i] and tokens[i] == jobs[i].token then
      keys[#keys + 1], keys[#keys + 2] = root .. id, locks[i]
      redis.call('LREM', root .. 'active', '-1', id)
    end
  end
  if #keys > 0 then redis.call('DEL', unpack(keys)) end
end
