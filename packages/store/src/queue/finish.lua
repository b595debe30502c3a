-- finish: a job is done and leaves its queue, if it is still that of the run with this token.
--
-- KEYS  1 root of the queue's keys, as in take-jobs.lua
-- ARGV  1 id   2 token

--- @include "finish-jobs.lua"

finish_jobs({ { root = KEYS[1], id = ARGV[1], token = ARGV[2] } })
