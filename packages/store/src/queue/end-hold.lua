-- How a run of a job ends. A part of the scripts that end or give back jobs and places.

--- @include "running.lua"

-- A place of an agent with limits is held as a job is, under a root of its own (places/take-places.lua).
local function is_of_places(root) return root:find(':q:@places~', 1, true) ~= nil end

-- Counts a place in the groups of its turn.
local function count_place(root, place, by)
  local tenant, key = place:match('^(%S*) (%S*) ')
  for _, group in ipairs({ 't:' .. tenant, 'k:' .. key }) do
    local count = group ~= 'k:' and redis.call('HINCRBY', root .. 'groups', group, by)
    if count and count <= 0 then redis.call('HDEL', root .. 'groups', group) end
  end
end

-- Ends a run. @return whether it had the job
local function end_hold(root, id, token)
  local running = running_key(root)
  if redis.call('HDEL', holder_key(running, token), token) == 0 then
    -- The run lost its job: a check that was sent before must not take the job back.
    if redis.call('HGET', root .. id, 'token') == token then redis.call('HDEL', root .. id, 'token') end
    return false
  end
  count_running(running, root, '-1')
  if is_of_places(root) then count_place(root, id, -1) end
  return true
end
