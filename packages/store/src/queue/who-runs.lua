-- Who runs a job. A part of the scripts that look after jobs.

--- @include "running.lua"

-- Whether the process of this run has the job, even if its lease has run out: nobody else has it then.
local function holds(running, root, id, token)
  return redis.call('HGET', holder_key(running, token), token) == root .. id
end

-- @return the token of the run that has the job, or nil
local function run_of(root, id)
  local token = redis.call('HGET', root .. id, 'token')
  return token and holds(running_key(root), root, id, token) and token or nil
end

-- When the lease of the process that runs the job ends, in ms: 0 if that process has none. nil: nobody runs the job
local function lease_end_of(root, id)
  local token = run_of(root, id)
  return token and tonumber(redis.call('ZSCORE', running_key(root), token:match('^[^:]*')) or 0)
end
