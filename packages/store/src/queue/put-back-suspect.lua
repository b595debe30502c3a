-- A part of take-turns.lua. Needs server.lua.

--- @include "place-job.lua"
--- @include "end-hold.lua"

-- Puts back a suspect that was just taken: it waits for a process that can run it alone.
local function put_back_suspect(root, id, token)
  local priority = redis.call('HGET', root .. id, 'priority') == '1' and AWAITED_SUSPECT or SUSPECT
  end_hold(root, id, token)
  redis.call('HDEL', root .. id, 'token')
  redis.call('HSET', root .. id, 'priority', priority)
  place_job(root, id, true)
  wake_worker(root)
end
