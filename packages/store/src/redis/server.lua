-- server: Redis' clock and its memory.

-- Redis' clock alone, so that order and leases do not depend on the machines around it.
local clock_ms, clock_us
local function now_ms()
  if not clock_ms then
    local time = redis.call('TIME')
    clock_ms = time[1] * 1000 + math.floor(time[2] / 1000)
    clock_us = time[1] * 1000000 + time[2]
  end
  return clock_ms
end

-- Incarnations tell what is written now from what a fail-over lost, should both get the same number. Of what Redis
-- composes it is the moment in µs; of what a turn writes it is that of its run. Five digits of base 36.
local function new_incarnation()
  now_ms()
  return clock_us % 60466175 + 1
end

local function incarnation_of(run) return tonumber(run, 36) % 60466175 + 1 end

-- What ends, gives back or concludes something goes on although Redis is out of memory (maxmemory, noeviction): it
-- makes room. Redis then refuses the first write of a script, and no later one, so that none is left half done: a first
-- write that needs no memory opens the way. Other scripts begin with one that needs some, and are refused as a whole.
local function allow_out_of_memory(key) redis.call('DEL', key .. ':none') end
