-- caller: the turn of an agent that calls another one. Needs caller_key (nil if a client sends), caller_fence,
-- call_mode, max_calls.
--
-- caller_key  task (hash) of the caller, and, made from it, its open calls <task>:c (hash: task → `w` (the caller waits
--             for it) or `d` (it may outlive a completion), a blank, its owner; conversation → `v`)
-- caller_fence  fencing token of the caller's turn   call_mode  `w` | `d`   max_calls  most open calls of a task
-- Invariant: a called task is recorded with its caller's task in the step that makes it, so that it is found when the
-- caller's task ends.

local caller = {}
--- @include "../../record/note.lua"
if caller_key then
  -- fenced: the caller has lost its turn. caller-canceling: its task will end. nil: it may call.
  function caller.refusal()
    local turn, cancel = unpack(redis.call('HMGET', caller_key, 'turn', 'cancel'))
    if turn ~= caller_fence then return 'fenced' end
    return cancel and 'caller-canceling' or nil
  end

  local calls_key, ended = caller_key .. ':c', {}

  -- A task whose end the caller did not wait for is still listed. It counts until there is no room for others.
  function caller.has_room()
    if redis.call('HLEN', calls_key) < tonumber(max_calls) then return true end
    local tasks_root, calls = caller_key:match('^.*:'), redis.call('HGETALL', calls_key)
    for i = 1, #calls, 2 do
      local is_task = calls[i + 1] ~= 'v'
      local state = is_task and redis.call('HGET', tasks_root .. calls[i], 'state')
      if is_task and (not state or state:upper() == state) then ended[#ended + 1] = calls[i] end
    end
    return #ended > 0
  end

  function caller.record(task_id, owner)
    redis.call('HSET', caller_key, 'has_side_keys', 1)
    if #ended > 0 then redis.call('HDEL', calls_key, unpack(ended)) end
    redis.call('HSET', calls_key, task_id, call_mode .. ' ' .. owner)
    note(caller_key, caller_fence, 'call ' .. task_id .. ' ' .. call_mode .. ' ' .. owner:match('[^/]*$'))
  end
end
