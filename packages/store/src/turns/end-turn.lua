-- endTurn: ends a turn that has nothing more to say; its last event left the task waiting (auth-required).
--
--- @include "../redis/lua/record.lua"
--- @include "../redis/lua/rules.lua"
--
-- ARGV  1-6 as in record.lua   7 epoch   8 '1': this job has run its share of turns
-- Returns  verdict, job to add (0 none)
--       unsettled (the agent gave no outcome: append failed) | fenced | as append: more, successor, drained, canceled

local epoch, hands_over = tonumber(ARGV[7]), ARGV[8] == '1'

local record = load_record()
if not record then return { 'fenced', 0 } end
if is_over(record, epoch) then return { 'more', 0 } end
if epoch ~= record.turn then return { 'fenced', 0 } end
if not is_waiting(record.state) then return { 'unsettled', 0 } end

go_on_when_full(task_key)
pop(record)
local verdict = settle(record, hands_over)
commit(record)
return { verdict, verdict == 'successor' and record.scheduled or 0 }
