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

local task_key, events_key, inbox_key, outbox_key, index_root, push_key = unpack(KEYS, 1, 6)
local webhooks_key, steps_key, calls_key = task_key .. ':w', task_key .. ':s', task_key .. ':c'
local closing_key = outbox_key .. ':closing'
local task_id, lease_ms, kept_events, replay_ms, retention_ms, inline_bytes = unpack(ARGV, 1, 6)

local STATES = {
  s = 'SUBMITTED', w = 'WORKING', i = 'INPUT_REQUIRED', a = 'AUTH_REQUIRED',
  C = 'COMPLETED', F = 'FAILED', X = 'CANCELED', R = 'REJECTED',
}
-- What every event needs comes first: a chunk of an artifact loads no more than that.
local FIELDS = {
  'state', 'cancel', 'seq', 'epoch', 'turn', 'said', 'lanes',
  'time', 'token', 'owner', 'context', 'started', 'attempts', 'scheduled', 'jobs', 'accepted', 'released', 'aside',
}
local CORE = 7
-- The others are numbers.
local IS_TEXT = {
  state = true, cancel = true, lanes = true, time = true, token = true, owner = true, context = true,
}

local function is_terminal(state) return state:upper() == state end
local function is_waiting(state) return state == 'i' or state == 'a' end

--- @include "clock.lua"
--- @include "sortable.lua"
--- @include "timestamp.lua"
--- @include "when-full.lua"

-- The record

local was -- as it was loaded; nil: the task is new
local written = {} -- events of this script: { seq, mark, json }
local is_popped = false
local is_due -- true: goes (back) into the outbox; false: leaves it; nil: stays as it is

local function take(record, values, from)
  for i = 1, #values do
    local name, value = FIELDS[from + i - 1], values[i]
    if IS_TEXT[name] then value = value or '' else value = tonumber(value) or 0 end
    record[name], was[name] = value, value
  end
end

-- The first fields alone; load_rest must follow before anything else of the record is looked at.
local function load_core()
  local values = redis.call('HMGET', task_key, unpack(FIELDS, 1, CORE))
  if not values[1] then return nil end
  local record = {}
  was = {}
  take(record, values, 1)
  return record
end

local function load_rest(record)
  if not record.owner then take(record, redis.call('HMGET', task_key, unpack(FIELDS, CORE + 1)), CORE + 1) end
end

local function load_record()
  local record = load_core()
  if record then load_rest(record) end
  return record
end

local function new_record(owner, context)
  local record = {}
  for _, name in ipairs(FIELDS) do record[name] = IS_TEXT[name] and '' or 0 end
  record.owner, record.context = owner, context
  return record
end

local function inbox_length() return redis.call('LLEN', inbox_key) - (is_popped and 1 or 0) end

-- Growing texts: a field of the hash while small, then a string of their own, named in the field `@<name>`, which nothing
-- ever changes but by appending. Its name carries the seq at which it was made, so that a replaced text gets a new string.

local function grow(record, name, text, inside, outside)
  if outside then return redis.call('APPEND', outside, text) end
  local all = (inside or '') .. text
  if #all <= tonumber(inline_bytes) then return redis.call('HSET', task_key, name, all) end
  outside = task_key .. ':' .. name .. ':' .. record.seq
  redis.call('SET', outside, all)
  redis.call('HSET', task_key, '@' .. name, outside)
  redis.call('HDEL', task_key, name)
end

-- A raw tab is white space in JSON, never part of a message, and harmless in a frame of SSE: it marks where each begins.
local function remember(record, message)
  grow(record, 'h', ',\t' .. message, unpack(redis.call('HMGET', task_key, 'h', '@h')))
end

-- Events

-- A mark tells what a reader must know without parsing: the state's letter, the number of the message whose caller need
-- not wait any more (if this event says so), and `m` if the outcome is a plain message.
local function say(record, json, released, is_reply)
  record.seq = record.seq + 1
  local mark = record.state .. (released or '') .. (is_reply and 'm' or '')
  written[#written + 1] = { record.seq, mark, json }
end

local function with_member(object, member)
  if object == '' or object == '{}' then return '{' .. member .. '}' end
  return object:sub(1, -2) .. ',' .. member .. '}'
end

-- message, metadata: JSON or ''; released: number of the message that this status answers or acknowledges, or nil.
local function say_status(record, letter, told)
  told = told or {}
  local message, metadata = told.message or '', told.metadata or ''
  record.state = letter
  record.time = sortable(now_ms())
  record.status = '{"state":"TASK_STATE_' .. STATES[letter] .. '","timestamp":"' .. timestamp(now_ms()) .. '"'
    .. (message ~= '' and ',"message":' .. message or '') .. '}'
  say(record, '{"statusUpdate":{"taskId":"' .. task_id .. '","contextId":"' .. record.context .. '","status":'
    .. record.status .. (metadata ~= '' and ',"metadata":' .. metadata or '') .. '}}', told.released, told.is_reply)
end

-- Commit

local function write_fields(record)
  local set, gone = {}, {}
  for i = 1, record.owner and #FIELDS or CORE do
    local name = FIELDS[i]
    local value = record[name]
    if not was or value ~= was[name] then
      if value == '' or value == 0 then gone[#gone + 1] = name
      else set[#set + 1], set[#set + 2] = name, value end
    end
  end
  if record.status then set[#set + 1], set[#set + 2] = 'status', record.status end
  if #set > 0 then redis.call('HSET', task_key, unpack(set)) end
  if was and #gone > 0 then redis.call('HDEL', task_key, unpack(gone)) end
end

-- An index holds a task once, as state .. time .. id, all scores 0. One in which every task has ended expires with the last;
-- each end takes a few members away that are past their retention, so that the index of a busy principal stays small.
local ENDS = 'CFXR'
local function trim_index(index, letter)
  local expired = '(' .. letter .. sortable(now_ms() - retention_ms)
  local old = redis.call('ZRANGEBYLEX', index, '[' .. letter, expired, 'LIMIT', 0, 4)
  if #old > 0 then redis.call('ZREM', index, unpack(old)) end
end

local function move_index(record, index)
  if was then redis.call('ZREM', index, was.state .. was.time .. task_id) end
  redis.call('ZADD', index, 0, record.state .. record.time .. task_id)
  if not is_terminal(record.state) then
    if not was then redis.call('PERSIST', index) end
    return
  end
  trim_index(index, record.state)
  -- An end that others no longer come to would stay: by chance, each has its turn.
  trim_index(index, ENDS:sub(now_ms() % 4 + 1, now_ms() % 4 + 1))
  if redis.call('ZLEXCOUNT', index, '[a', '+') == 0 then redis.call('PEXPIRE', index, retention_ms) end
end

-- The task ends: what it had called for and still goes on is to end, too. A detached call may outlive a completion.
-- `aside` says that it has calls or steps at all: most tasks have neither, and need not look.
local function close_calls(record)
  local calls = redis.call('HGETALL', calls_key)
  for i = 1, #calls, 2 do
    local called, manner = calls[i], calls[i + 1]
    if record.state ~= 'C' or manner:sub(1, 1) ~= 'd' then
      redis.call('ZADD', closing_key, now_ms(), called .. ' ' .. manner)
    end
  end
  if #calls > 0 then redis.call('PUBLISH', closing_key, '') end
  redis.call('DEL', steps_key, calls_key)
end

local function expire(record)
  if record.aside ~= 0 then close_calls(record) end
  redis.call('PEXPIRE', events_key, replay_ms)
  redis.call('PEXPIRE', task_key, retention_ms)
  redis.call('PEXPIRE', webhooks_key, retention_ms)
  redis.call('DEL', inbox_key)
  local names = { '@h' }
  for n = 1, tonumber(redis.call('HGET', task_key, 'artifacts') or 0) do names[n + 1] = '@p' .. n end
  for _, name in ipairs(names) do
    local outside = redis.call('HGET', task_key, name)
    if outside then redis.call('PEXPIRE', outside, retention_ms) end
  end
end

-- `lanes` are the numbers of the webhooks that are to hear of it. One that is marked already is being served.
local function mark_lanes(record)
  local is_new = false
  for lane in record.lanes:gmatch('%d+') do
    if redis.call('ZADD', push_key, 'NX', now_ms(), task_id .. '.' .. lane) == 1 then is_new = true end
  end
  if is_new then redis.call('PUBLISH', push_key, '') end
end

local function commit(record)
  write_fields(record)
  if is_popped then redis.call('LPOP', inbox_key) end
  for _, event in ipairs(written) do
    local seq, mark, json = unpack(event)
    redis.call('XADD', events_key, 'MAXLEN', '~', kept_events, seq .. '-0', mark, json)
    redis.call('PUBLISH', events_key, seq .. '|' .. mark .. '|' .. json)
  end
  if #written > 0 and record.lanes ~= '' then mark_lanes(record) end
  if is_due then redis.call('ZADD', outbox_key, now_ms() + lease_ms, task_id) end
  if is_due == false then redis.call('ZREM', outbox_key, task_id) end
  if not was or record.state ~= was.state or record.time ~= was.time then
    move_index(record, index_root .. ':' .. record.owner)
    move_index(record, index_root .. ':' .. record.owner .. ':' .. record.context)
  end
  if is_terminal(record.state) then expire(record) end
end
