-- orderLogLevel: an operator says how much all processes log, and they are told.
--
-- KEYS  log_level  string; also the channel that announces a change
-- ARGV  level
--       for_ms     0: the last order is taken back
-- Returns  nil
-- Invariant: none is changed without being announced.

local log_level_key = unpack(KEYS)
local level, for_ms = unpack(ARGV)

if tonumber(for_ms) > 0 then redis.call('SET', log_level_key, level, 'PX', for_ms)
else redis.call('DEL', log_level_key) end
redis.call('PUBLISH', log_level_key, level)
