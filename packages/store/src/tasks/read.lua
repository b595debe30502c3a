-- read: a task as pieces of JSON (see pieces.lua), unless the caller has this version of it.
--
-- KEYS  1 task (hash)   and, named in it, the strings of its growing texts
-- ARGV  1 task id   2 owner ('' a worker, which holds the task's turn)   3 version that the caller has ('' none)   4 historyLength ('' all)   5 artifacts: all | none
--       6 bytes from which parts of an artifact are not copied through Lua
-- Returns  nil (no such task for this owner) | version, seq, state, released | the same and then pieces …
--       the short form if the caller has that version.
--
-- Cost: the size of the pieces.

local task_key = KEYS[1]
local task_id, owner, have, length, artifacts, large_bytes = unpack(ARGV)

local its_owner, seq, accepted, released, state = unpack(redis.call('HMGET', task_key,
  'owner', 'seq', 'accepted', 'released', 'state'))
if not its_owner or (owner ~= '' and its_owner ~= owner) then return false end
-- A message that waits behind a running turn enters the history without an event: it counts, too.
local version = seq .. '-' .. accepted
local reply = { version, seq, state, released or '0' }
if version == have then return reply end

--- @include "pieces.lua"
put_pieces(reply, length, artifacts, large_bytes)
return reply
