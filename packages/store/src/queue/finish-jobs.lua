-- finishJobs: removes jobs that are done from their queues, as BullMQ's own script does with removeOnComplete.
--
-- jobs: for each { root, id, token }; root: as in take-jobs.lua
-- A job stays if the run with this token does not hold its lock (any more).

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
