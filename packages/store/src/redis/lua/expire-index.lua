-- expireIndex: an index in which a task has ended expires with the last one. Needs index and retention_ms.
-- Those that go on come last: their states are small letters.

local last = redis.call('ZREVRANGE', index, '0', '0')[1]
if last and last:byte() < 97 then redis.call('PEXPIRE', index, retention_ms) end
