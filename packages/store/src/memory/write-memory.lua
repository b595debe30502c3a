-- writeMemory: an agent keeps something for a context.
--
-- KEYS  task        hash, of the turn that writes
--       memory      hash: `version` how often it was written, `json`
-- ARGV  fence       fencing token of the turn
--       if_version  that is to be replaced; '' any
--       json
--       kept_ms     ms that it is kept after its last use
-- Returns  the new version | 0 (there is another version than the one to be replaced) | -1 (fenced: another owns the task)
-- Invariant: of two that replace the same version, one does.

local fence, if_version, json, kept_ms = unpack(ARGV)
local task_key, memory_key = unpack(KEYS)
if redis.call('HGET', task_key, 'turn') ~= fence then return -1 end
local version = redis.call('HGET', memory_key, 'version') or '0'
if if_version ~= '' and if_version ~= version then return 0 end
redis.call('HSET', memory_key, 'version', version + 1, 'json', json)
redis.call('PEXPIRE', memory_key, kept_ms)
return version + 1
