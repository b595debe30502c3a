-- look: the record of one task, to be looked at. All that a script that says nothing needs of record.lua.

local task_key, events_key, inbox_key, outbox_key, index_root, push_key = unpack(KEYS, 1, 6)
local webhooks_key, steps_key, calls_key = task_key .. ':w', task_key .. ':s', task_key .. ':c'
local task_id, lease_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 6)

--- @include "waiting.lua"
--- @include "clock.lua"
--- @include "fields.lua"
