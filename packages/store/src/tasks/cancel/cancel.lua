-- Cancels a task.
--
-- KEYS  <record>
--       root         of the keys of its agent's queue, as in take-jobs.lua
-- ARGV  <record>
--       owner
--       channel      notifies the worker that runs the turn
--       sees_hidden  '1': for an operator, or because the caller's task ended; '': for a client, which was not given a
--                    hidden task
--       if_seq?      only if this is the number of the task's last event; left out: whatever it is
-- Returns  canceled (also if the command is sent twice) | requested (its worker is notified) | terminal | missing
--       | other-seq (see if_seq)
-- Invariant: however the turn ends, an accepted cancel ends the task. A task that is canceled before its turn leaves no
-- job that would wait in its tenant's turns.

--- @include "../../record/record.lua"
--- @include "../../record/commit.lua"
--- @include "../../record/rules.lua"
--- @include "../../queue/remove-job.lua"

local root = unpack(KEYS, 5)
local owner, channel, sees_hidden, if_seq = unpack(ARGV, 7)

local record = load_record(task_id, task_key)
if not record or record.owner ~= owner then return 'missing' end
if record.state == 'h' and sees_hidden ~= '1' then return 'missing' end

if record.state == 'X' then return 'canceled' end
-- A cancel that is sent twice met its condition the first time.
if if_seq and record.cancel == '' and tonumber(if_seq) ~= record.seq then return 'other-seq' end
if is_terminal(record.state) then return 'terminal' end
allow_out_of_memory(task_key)
if record.turn == '' then
  local job = record.job
  finish(record, 'X')
  commit(record)
  if job ~= 0 then remove_job(queue_of(record, root), task_id .. '.' .. job) end
  return 'canceled'
end
-- The turn's process writes the end, after its cleanup and its last artifact. If it is gone, the sweep or begin does.
if record.cancel == '' then
  record.cancel = '1'
  commit(record)
end
redis.call('SPUBLISH', channel, task_id)
return 'requested'
