-- Counts a change whose caller waits for replicas. From Redis 7.2 on, and in Valkey, WAIT waits for the last write of
-- its connection, and answers at once if that is an old one. Behind this script it waits for all that Redis has written
-- by now, whichever connection wrote it.
--
-- KEYS  confirmed  number of such changes
-- ARGV
-- Returns  nil
-- Invariant: it writes always, also when Redis is out of memory.

--- @include "server.lua"

local confirmed_key = unpack(KEYS)

allow_out_of_memory(confirmed_key)
redis.call('INCR', confirmed_key)
