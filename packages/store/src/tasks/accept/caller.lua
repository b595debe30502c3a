-- The turn of an agent that calls another one. Needs server.lua, caller_key (nil if a client sends),
-- caller_fence, call_mode and max_calls.
--
-- caller_key    task (hash) of the caller, and, made from it, its open calls <task>:c (hash: task → `w` (the caller
--               waits for it) or `d` (it may outlive a completion), a blank, its owner; conversation → `v`)
-- caller_fence  fencing token of the caller's turn
-- call_mode     `w` | `d`
-- max_calls     most open calls of a task
-- Invariant: a called task is recorded with its caller's task in the step that makes it, so that it is found when the
-- caller's task ends.

--- @include "../../record/note.lua"

-- fenced: the caller has lost its turn. caller-canceling: its task will end. nil: it may call.
local function caller_refusal()
  local turn, cancel = unpack(redis.call('HMGET', caller_key, 'turn', 'cancel'))
  if turn ~= caller_fence then return 'fenced' end
  return cancel and 'caller-canceling' or nil
end

-- Whether the caller's task may have another call; and calls that have ended, which make room if it has too many: a
-- task whose end the caller did not wait for is still listed.
local function has_room_for_call()
  local calls_key = caller_key .. ':c'
  if redis.call('HLEN', calls_key) < tonumber(max_calls) then return true, {} end
  local ended, tasks_root, calls = {}, caller_key:match('^.*:'), redis.call('HGETALL', calls_key)
  for i = 1, #calls, 2 do
    local is_task = calls[i + 1] ~= 'v'
    local state = is_task and redis.call('HGET', tasks_root .. calls[i], 'state')
    if is_task and (not state or state:upper() == state) then ended[#ended + 1] = calls[i] end
  end
  return #ended > 0, ended
end

-- Adds the task to the open calls of its caller's task. ended: of has_room_for_call
local function add_call(task_id, owner, ended)
  redis.call('HSET', caller_key, 'has_other_keys', 1)
  if #ended > 0 then redis.call('HDEL', caller_key .. ':c', unpack(ended)) end
  redis.call('HSET', caller_key .. ':c', task_id, call_mode .. ' ' .. owner)
  note(caller_key, caller_fence, 'call ' .. task_id .. ' ' .. call_mode .. ' ' .. owner:match('[^/]*$'))
end
