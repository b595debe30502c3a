-- The clock of Redis, and writes when its memory is full.

-- The score of what has no time: later than any time.
local NEVER_MS = 8640000000000000

-- Only Redis' clock counts, so that order and leases do not depend on the clocks of other machines.
local clock_ms, clock_us
local function now_ms()
  if not clock_ms then
    local time = redis.call('TIME')
    clock_us = time[1] * 1000000 + time[2]
    clock_ms = (clock_us - clock_us % 1000) / 1000
  end
  return clock_ms
end

-- The incarnation of an event that the script composes. It tells the event from one with the same number that a
-- fail-over lost. Made from the time in µs; five digits of base 36.
local function new_incarnation()
  now_ms()
  return clock_us % 60466175 + 1
end

-- Lets a script write although Redis is out of memory (maxmemory, noeviction): scripts that take, end, give back or
-- conclude work make room. Redis refuses only the first write of a script, so that none stops halfway: a first write
-- that needs no memory lets all others pass. Other scripts begin with a write that needs memory, and are refused as a
-- whole.
local function allow_out_of_memory(key) redis.call('DEL', key .. ':none') end
