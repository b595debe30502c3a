-- withdraw: a worker stops; its agents stay announced.
--
-- KEYS  1 alive (zset: '<agent id>/<worker id>' → ms until which the worker counts)
-- ARGV  1 channel on which a change is told   2 worker id   3… ids of its agents
-- Returns  how many of them knew it

local gone = 0
for i = 3, #ARGV do gone = gone + redis.call('ZREM', KEYS[1], ARGV[i] .. '/' .. ARGV[2]) end
if gone > 0 then redis.call('PUBLISH', ARGV[1], ARGV[2]) end
return gone
