-- Begins the first turn of a task, as begin.lua would, but reads only the fields that this needs
-- (docs/adr/0019). Needs server.lua and sweep_after_ms.
--
-- start, worker: as in begin.lua
-- Returns  as begin.lua, or nil: begin.lua must run instead, and nothing is written. A turn has begun before, or a
--   cancel or another message waits, or the message has a time to live, or the task has another job, or its history is
--   in a string of its own, or the record is damaged

--- @include "begun.lua"

local function begin_first(start, worker)
  local task_id, task_key, token, run, while_working =
    start.task_id, start.task_key, start.token, worker.run, worker.while_working
  local job, messages, state, owner, context, time, entry, history, epoch, cancel, artifacts, skill, metadata,
    begin_by =
    unpack(redis.call('HMGET', task_key, 'job', 'messages', 'state', 'owner', 'context', 'time',
      'initial_entry', 'h', 'epoch', 'cancel', 'artifacts', 'skill', 'metadata', 'begin_by'))
  if start.job ~= tonumber(job) or messages ~= '1' or epoch or cancel or artifacts or begin_by then return nil end
  if not history or not entry then return nil end
  if state ~= 's' and state ~= 'h' then return nil end
  if not (owner and context and time and time:find('^%w%w%w%w%w%w%w%w$')) then return nil end
  local fence = '1.' .. run
  local reply = { 'turn', fence, 1, '', entry, owner, '', skill or '',
    { '{"id":"' .. task_id .. '","contextId":"' .. context .. '","status":', state, time,
      '},"history":[' .. history:sub(3) .. (metadata and '],"metadata":' .. metadata .. '}' or ']}') } }
  local began, started = begun_text(1, start.waited_ms, token), start.started == 1 and '1' or start.started
  if while_working == '' then
    redis.call('HSET', task_key, 'epoch', '1', 'run', run, 'turn', fence, 'token', token, 'started', started,
      'attempts', '1', 'l1', began)
  else
    redis.call('HSET', task_key, 'epoch', '1', 'run', run, 'turn', fence, 'token', token, 'started', started,
      'attempts', '1', 'l1', began, 'while_working', while_working)
  end
  -- make-tasks.lua has listed the task: if that was just now, the sweeper checks it late enough.
  if start.started > 1 or start.waited_ms > sweep_after_ms / 16 then
    local due = worker.due
    due[#due + 1], due[#due + 2] = now_ms() + sweep_after_ms, task_id
  end
  return reply
end
