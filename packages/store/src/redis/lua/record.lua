-- record: the record of one task, loaded, changed by the rules of turns, and committed. Included by every script of a turn.
--
-- KEYS  1 task (hash)   2 events (stream; also the name of the channel)   3 inbox (list)   4 outbox (zset)
--       5 root of the indexes: <root>:<owner> and <root>:<owner>:<context> are made from it
--       6 push (zset; also the name of the channel that wakes who delivers), and, made from KEYS[1], the webhooks <task>:w (hash),
--       its steps <task>:s (hash, see begin-step.lua) and calls <task>:c (hash, see caller.lua), and, made from KEYS[4],
--       <outbox>:closing (zset; also a channel): what tasks that ended had called for
-- ARGV  1 task id   2 lease ms: when the sweeper may look after the task   3 events kept in the stream
--       4 ms the stream outlives the task's end   5 ms the task outlives its end   6 bytes of a growing text kept in the hash
--
-- Invariant, while the task lives: inbox not empty <=> scheduled <> 0 <=> it is in the outbox. After the end: none of them.
-- seq = the number of events ever written = the last id of the stream.
-- A webhook that is not dead and has events to come is in `push`.
--
-- A script pays for each function that it makes and each command that it gives, more than for what they do: hence few of
-- both, everything that goes into the hash in one command, and what only an end needs in a block of its own.

local task_key, events_key, inbox_key, outbox_key, index_root, push_key = unpack(KEYS, 1, 6)
local webhooks_key, steps_key, calls_key = task_key .. ':w', task_key .. ':s', task_key .. ':c'
local task_id, lease_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 6)

local function is_terminal(state) return state:upper() == state end
local function is_waiting(state) return state == 'i' or state == 'a' end

--- @include "clock.lua"
--- @include "when-full.lua"
--- @include "fields.lua"
--- @include "texts.lua"
--- @include "events.lua"

local is_popped = false
local is_due -- true: goes (back) into the outbox; false: leaves it; nil: stays as it is

local inbox_count -- nil: not asked yet
local function inbox_length()
  inbox_count = inbox_count or redis.call('LLEN', inbox_key)
  return inbox_count - (is_popped and 1 or 0)
end

local function commit(record)
  local is_over = is_terminal(record.state)
  write_texts(record)
  write_fields(record)
  -- The inbox of a task that is over goes as a whole.
  if is_popped and not is_over then redis.call('LPOP', inbox_key) end
  if #written > 0 then publish(record) end
  if is_due then redis.call('ZADD', outbox_key, now_ms() + lease_ms, task_id) end
  if is_due == false then redis.call('ZREM', outbox_key, task_id) end
  if record.state ~= was.state or record.time ~= was.time then
    --- @include "move-in-indexes.lua"
  end
  if is_over then
    --- @include "expire.lua"
  end
end
