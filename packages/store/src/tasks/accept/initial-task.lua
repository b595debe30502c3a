-- The task with which a context began, and whose id it has. While it is the only one, the context has no
-- index: docs/adr/0005.

-- tasks_root: prefix of the keys of tasks; context: as JSON text without colons, as a client may name any
-- Returns  its member of an index: state .. time .. id; nil if this owner has no such task
local function initial_task_of(tasks_root, context, owner)
  local its_owner, its_context, state, time =
    unpack(redis.call('HMGET', tasks_root .. context, 'owner', 'context', 'state', 'time'))
  if its_owner == owner and its_context == context then return state .. time .. context end
end
