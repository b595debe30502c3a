-- Writes the value that an agent keeps for a context.
--
-- KEYS  task        hash, of the turn that writes
--       memory      hash: `version` how often it was written, `json`, `writes` ids and versions of the latest
-- ARGV  fence       fencing token of the turn
--       write       random id of this write
--       if_version  the version that it may replace; '' any
--       json
--       kept_ms     ms that the value is kept after its last use
-- Returns  the new version | 0 (the stored version is not if_version) | -1 (fenced)
-- Invariant: of two writes that replace the same version, one succeeds. A write that is sent twice is done once, and
-- gets the same reply twice, even if other writes came in between (fewer than KEPT_WRITES).

local KEPT_WRITES = 16

local task_key, memory_key = unpack(KEYS)
local fence, write, if_version, json, kept_ms = unpack(ARGV)

local version, writes = unpack(redis.call('HMGET', memory_key, 'version', 'writes'))
version, writes = version or '0', writes or ''
local _, behind = writes:find(' ' .. write .. ':', 1, true)
if behind then return tonumber(writes:match('^%d+', behind + 1)) end

if redis.call('HGET', task_key, 'turn') ~= fence then return -1 end
if if_version ~= '' and if_version ~= version then return 0 end
version = version + 1
writes = writes .. ' ' .. write .. ':' .. version
local _, count = writes:gsub(' ', '')
if count > KEPT_WRITES then writes = writes:sub(writes:find(' ', 2, true), -1) end
redis.call('HSET', memory_key, 'version', version, 'json', json, 'writes', writes)
redis.call('PEXPIRE', memory_key, kept_ms)
return version
