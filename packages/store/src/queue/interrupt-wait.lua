-- Ends the wait of a process for markers, so that it waits for other queues as well.
--
-- KEYS  interrupt  zset: the process waits for it, too
-- ARGV  kept_ms    after which it is deleted, if the process has died meanwhile
-- Returns  nothing
-- Invariant: no queue's marker is taken for it: the process waits for this key as well.

local interrupt_key = unpack(KEYS)
local kept_ms = unpack(ARGV, 1, 1)

--- @include "@switchyard/redis/server.lua"

allow_out_of_memory(interrupt_key)
redis.call('ZADD', interrupt_key, '0', '0')
redis.call('PEXPIRE', interrupt_key, kept_ms)
