-- Sets the log level of all processes for some time, for an operator, and notifies them.
--
-- KEYS  log_level  string; also the channel on which a change is published
-- ARGV  level
--       for_ms     0: the override is removed
-- Returns  nil
-- Invariant: every change is published.

local log_level_key = unpack(KEYS)
local level, for_ms = unpack(ARGV)

if tonumber(for_ms) > 0 then redis.call('SET', log_level_key, level, 'PX', for_ms)
else redis.call('DEL', log_level_key) end
redis.call('SPUBLISH', log_level_key, level)
