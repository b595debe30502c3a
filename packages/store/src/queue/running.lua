-- Which jobs run, and where. A part of the scripts that take, end or give back jobs.
--
-- A process has one lease per shard, and runs all its jobs there under this lease (docs/adr/0135): to renew the lease
-- costs the same for one job and for a hundred thousand. Made from the root of a queue's keys, `<shard>q:<queue>:`:
--   <shard>running (zset): process → ms until which its lease lasts
--   <shard>running:<process> (hash): token → key of the job, for each job that the process runs
--   <shard>running:queues (hash): root of a queue's keys → number of its jobs that run
-- A token is `<process>:…`. The script that removes a token ends its run: no renewal brings the run back.
-- Field of a job: `token`, of its run; a job that waits has one only if the process of this run lost it.

local function running_key(root) return root:match('^.-{s%d+}:') .. 'running' end
local function holder_key(running, token) return running .. ':' .. token:match('^[^:]*') end
local function count_running(running, root, by) redis.call('HINCRBY', running .. ':queues', root, by) end
