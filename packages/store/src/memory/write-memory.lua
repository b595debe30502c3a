-- writeMemory: an agent keeps something for a context.
--
-- KEYS  1 task (hash) of the turn that writes   2 memory (hash: `version` how often it was written, `json`)
-- ARGV  1 fencing token of the turn   2 version that is to be replaced ('' any)   3 JSON   4 ms that it is kept after its last use
-- Returns  the new version | 0 (there is another version than the one to be replaced) | -1 (fenced: another owns the task)
-- Invariant: of two that replace the same version, one does.

local fence, if_version, json, kept_ms = unpack(ARGV)
if redis.call('HGET', KEYS[1], 'turn') ~= fence then return -1 end
local version = redis.call('HGET', KEYS[2], 'version') or '0'
if if_version ~= '' and if_version ~= version then return 0 end
redis.call('HSET', KEYS[2], 'version', version + 1, 'json', json)
redis.call('PEXPIRE', KEYS[2], kept_ms)
return version + 1
