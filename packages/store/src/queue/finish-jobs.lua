-- finishJobs: jobs that are done leave their queues, as BullMQ's own script has one leave that keeps no completed ones.
--
-- jobs: of each { root, id, token }; root: as in take-jobs.lua; and <root>stalled (set): jobs whose locks are looked at next
-- One that is not (or no more) the job of whoever has its token stays.

local function finish_jobs(jobs)
  local locks, keys, ids = {}, {}, {}
  for i = 1, #jobs do locks[i] = jobs[i].root .. jobs[i].id .. ':lock' end
  local tokens = redis.call('MGET', unpack(locks))
  for i = 1, #jobs do
    local root, id = jobs[i].root, jobs[i].id
    if tokens[i] and tokens[i] == jobs[i].token then
      keys[#keys + 1], keys[#keys + 2] = root .. id, locks[i]
      redis.call('LREM', root .. 'active', '-1', id)
      ids[root] = ids[root] or {}
      ids[root][#ids[root] + 1] = id
    end
  end
  if #keys > 0 then redis.call('DEL', unpack(keys)) end
  for root, done in pairs(ids) do redis.call('SREM', root .. 'stalled', unpack(done)) end
end
