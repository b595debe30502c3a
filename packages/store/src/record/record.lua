-- The keys of one task's record, and how it is loaded. commit.lua writes it; rules.lua and turns/outcome.lua
-- have the rules by which it changes.
--
-- KEYS  task            hash; made from its name: its events <task>:e (stream; also the name of the channel), its inbox
--                       <task>:i (list, without the message that made the task, which is the field `initial_entry`),
--                       its webhooks <task>:w (hash), steps <task>:s (hash, see begin-step.lua), calls <task>:c (hash,
--                       see caller.lua), and the others of task-keys.lua
--       outbox          zset; made from its name: <outbox>:orphans (zset, also a channel), calls of tasks that ended
--       index_root      the indexes <root>:<owner> and <root>:<owner>:<context> (zsets) are made from it, and that of
--                       the agent, see agent-index.lua
--       push            zset of delivery queues that have something to deliver; also the name of a channel
-- ARGV  task_id
--       sweep_after_ms  after which the sweeper checks the task
--       kept_events     events kept in the stream
--       replay_ms       ms that the stream outlives the task's end
--       retention_ms    ms that the task outlives its end
--       inline_bytes    bytes of a growing text that are kept in the hash
--
-- Invariant:
--   the task                                                    inbox          job     in the outbox
--   has a message to work on                                    not empty      not 0   yes
--   has none, or has ended                                      empty          0       no
--   waits for its time (scheduled-tasks.lua), or for what its
--     suspended turn waits for (suspended.lua)                  not empty      0       no
-- seq = the number of events ever written = the last id of the stream.
-- A webhook that is not dead and has events to come is in `push`.
--
-- To create a function, or to call a command, costs a script more than its work. So there are few of both: one command
-- writes all fields of the hash, and code that only the end of a task needs is in a block of its own.

local task_key, outbox_key, index_root, push_key = unpack(KEYS, 1, 4)
local task_id, sweep_after_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 6)

--- @include "@switchyard/redis/server.lua"
--- @include "fields.lua"
