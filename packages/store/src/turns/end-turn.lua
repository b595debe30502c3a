-- endTurn: ends a turn that has nothing more to say; its last event left the task waiting (auth-required).
--
--- @include "../redis/lua/record.lua"
--- @include "../redis/lua/rules.lua"
--
-- KEYS  1-6 as in record.lua   7 as in append.lua
-- ARGV  1-6 as in record.lua   7 fencing token of the turn   8 as ARGV 9 of append.lua
-- Returns  unsettled (the agent gave no outcome: append failed) | fenced | as append: more, successor, drained, canceled

local fence, successor_options = unpack(ARGV, 7, 8)

local record = load_record()
if not record then return 'fenced' end
if is_over(record, fence) then return 'more' end
if fence ~= record.turn then return 'fenced' end
if not is_waiting(record.state) then return 'unsettled' end

go_on_when_full(task_key)
pop(record)
local verdict = settle(record, KEYS[7], successor_options)
commit(record)
if #ended_jobs > 0 then
  --- @include "../queue/finish-jobs.lua"
  finish_jobs(ended_jobs)
end
return verdict
