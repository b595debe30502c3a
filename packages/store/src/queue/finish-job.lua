-- finishJob: a job that is done leaves its queue, as BullMQ's own script has it leave that keeps no completed ones.
--
-- root: as in take-jobs.lua; and <root>stalled (set): jobs whose locks are looked at next
-- Nothing is done if it is not (or no more) the job of whoever has this token.

local function finish_job(root, id, token)
  local job_key = root .. id
  local lock_key = job_key .. ':lock'
  local lock = redis.call('GET', lock_key)
  if not lock or lock ~= token then return end
  redis.call('DEL', job_key, lock_key)
  redis.call('LREM', root .. 'active', '-1', id)
  redis.call('SREM', root .. 'stalled', id)
end
