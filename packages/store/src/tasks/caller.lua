-- caller: the turn of an agent that calls another one. Needs caller_key, nil if a client sends, and caller_fence,
-- call_mode, max_calls.
--
-- caller_key  task (hash) of the caller, and, made from it, what it has called for and still goes on <task>:c (hash:
--             task → `w` (its caller waits for it) or `d` (it may outlive a completion), blank, owner;
--             conversation → `v`)
-- caller_fence  its fencing token   call_mode  `w` | `d`   max_calls  that may go on at once
-- Invariant: a task that a turn has called for is found when the turn's own task ends, or was never made.

local caller = {}
--- @include "../record/note.lua"
if caller_key then
  -- fenced: it has lost its turn. caller-canceling: its task is about to end. nil: it may call.
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
