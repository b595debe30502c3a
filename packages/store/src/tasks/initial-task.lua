-- initialTask: the task that made a context, and gave it its id. While it is alone, the context has no index:
-- docs/adr/0023.

-- tasks_root: what the keys of tasks begin with; context: as JSON text without colons, whatever a client may have named
-- Returns  its member of an index: state .. time .. id; nil if there is no such task, or it is another owner's
local function initial_task_of(tasks_root, context, owner)
  local its_owner, its_context, state, time =
    unpack(redis.call('HMGET', tasks_root .. context, 'owner', 'context', 'state', 'time'))
  if its_owner == owner and its_context == context then return state .. time .. context end
end
