-- commit: what a script has changed in the record, and what it says, enters Redis.

local function is_terminal(state) return state:upper() == state end

--- @include "when-full.lua"
--- @include "texts.lua"
--- @include "events.lua"

local is_popped = false -- whether a message leaves the list of the inbox
local is_due -- true: goes (back) into the outbox; false: leaves it; nil: stays as it is
local ended_jobs = {} -- see finish-jobs.lua
local ended_in -- of a script that may end several tasks: the indexes, each to be looked at once; nil: at once

local function commit(record)
  local is_over = is_terminal(record.state)
  write_texts(record)
  if #written > 0 then record.tip = written[#written - 2] end
  write_fields(record)
  -- The inbox of a task that is over goes as a whole.
  if is_popped and not is_over then redis.call('LPOP', inbox_key) end
  if #written > 0 then publish(record) end
  if is_due then redis.call('ZADD', outbox_key, now_ms() + lease_ms, task_id) end
  if is_due == false then redis.call('ZREM', outbox_key, task_id) end
  -- What waits for its client is known by it, so that it does not wait for ever; see end-interrupted.lua.
  if is_waiting(record.state) then
    if record.inbox == 0 then redis.call('ZADD', outbox_key .. ':interrupted', 'NX', now_ms(), task_id) end
  elseif is_waiting(was[STATE]) then
    redis.call('ZREM', outbox_key .. ':interrupted', task_id)
  end
  if record.state ~= was[STATE] or record.time ~= was[TIME] then
    --- @include "move-in-indexes.lua"
  end
  if is_over then
    --- @include "expire.lua"
  end
end
