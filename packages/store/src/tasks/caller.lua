-- caller: the turn of an agent that calls another one. Needs caller_key (nil if a client sends), caller_fence,
-- call_mode, max_calls.
--
-- caller_key  task (hash) of the caller, and, made from it, its open calls <task>:c (hash: task → `w` (the caller waits
--             for it) or `d` (it may outlive a completion), a blank, its owner; conversation → `v`)
-- caller_fence  fencing token of the caller's turn   call_mode  `w` | `d`   max_calls  most open calls of a task
-- Invariant: a called task is recorded with its caller's task in the step that makes it, so that it is found when the
-- caller's task ends.

local caller = {}
--- @include "../record/note.lua"
if caller_key then
  -- fenced: the caller has lost its turn. caller-canceling: its task will end. nil: it may call.
  function caller.refusal()
    local turn, cancel = unpack(redis.call('HMGET', caller_key, 'turn', 'cancel'))
    if turn ~= caller_fence then return 'fenced' end
    return cancel and 'caller-canceling' or nil
  end

  function caller.has_room() return redis.call('HLEN', caller_key .. ':c') < tonumber(max_calls) end

  function caller.record(task_id, owner)
    redis.call('HSET', caller_key, 'has_side_keys', 1)
    redis.call('HSET', caller_key .. ':c', task_id, call_mode .. ' ' .. owner)
    note(caller_key, caller_fence, 'call ' .. task_id .. ' ' .. call_mode .. ' ' .. owner:match('[^/]*$'))
  end
end
