-- recover: jobs of processes whose leases have run out wait again; and what the queues of a shard need from time to time.
--
-- KEYS  running   as in running.lua; and <running>:checked (string): when this was last done
-- ARGV  lock_ms   how long a lease lasts
--       every_ms  between two checks, whichever processes make them
--       tidy_ms   queues are tidied once in this time
-- Returns  { number of jobs that wait again, ms until the next lease ends (-1: none; 0: run it again now) }
-- Invariant: a job whose process has a lease stays with this process.

local running = unpack(KEYS)
local lock_ms, every_ms, tidy_ms = unpack(ARGV)
lock_ms, every_ms, tidy_ms = tonumber(lock_ms), tonumber(every_ms), tonumber(tidy_ms)

--- @include "../redis/server.lua"
--- @include "place-job.lua"
--- @include "running.lua"
--- @include "recover-leases.lua"
--- @include "tidy-queues.lua"

local checked = tonumber(redis.call('GET', running .. ':checked') or 0)
local since_ms = now_ms() - checked
if since_ms >= 0 and since_ms < every_ms then return { 0, every_ms } end
allow_out_of_memory(running)
if since_ms < 0 then move_delays(running, since_ms) end
if math.floor(now_ms() / tidy_ms) ~= math.floor(checked / tidy_ms) then tidy_queues(running) end
local count, next_ms = recover_leases(running, lock_ms, since_ms)
-- If there is more to do, the next call must not wait.
local at = next_ms == 0 and now_ms() - every_ms or now_ms()
redis.call('SET', running .. ':checked', ('%.0f'):format(at), 'PX', 2 * lock_ms)
return { count, next_ms }
