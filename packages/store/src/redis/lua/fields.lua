-- fields: the record as fields of the task's hash. A field that is empty or 0 is not there.

-- What every event needs comes first: a chunk of an artifact loads no more than that. 1-3 and 8-11 are texts, the others numbers.
local FIELDS = {
  'state', 'cancel', 'lanes', 'seq', 'epoch', 'turn', 'said',
  'time', 'token', 'owner', 'context', 'started', 'attempts', 'scheduled', 'jobs', 'accepted', 'released', 'aside',
}
local CORE, ALL = 7, 18

local was -- the record as it was loaded
local others = {} -- what else is to be written: the status, texts, artifacts, metadata; false: removed

local function take(record, first, last)
  local values = redis.call('HMGET', task_key, unpack(FIELDS, first, last))
  for i = first, last do
    local name, value = FIELDS[i], values[i - first + 1]
    if i < 4 or (i > 7 and i < 12) then value = value or '' else value = tonumber(value) or 0 end
    record[name], was[name] = value, value
  end
  return values[1]
end

local function load_fields(last)
  local record = {}
  was = {}
  return take(record, 1, last) and record or nil
end

-- The first fields alone; load_rest must follow before anything else of the record is looked at.
local function load_core() return load_fields(CORE) end
local function load_rest(record) if not record.owner then take(record, CORE + 1, ALL) end end
local function load_record() return load_fields(ALL) end

local function write_fields(record)
  local set, gone, s, g = {}, {}, 0, 0
  for i = 1, record.owner and ALL or CORE do
    local name = FIELDS[i]
    local value = record[name]
    if value == '' or value == 0 then
      if was[name] ~= value then
        g = g + 1
        gone[g] = name
      end
    elseif was[name] ~= value then
      set[s + 1], set[s + 2] = name, value
      s = s + 2
    end
  end
  for name, value in pairs(others) do
    if value then
      set[s + 1], set[s + 2] = name, value
      s = s + 2
    else
      g = g + 1
      gone[g] = name
    end
  end
  if s > 0 then redis.call('HSET', task_key, unpack(set)) end
  if g > 0 then redis.call('HDEL', task_key, unpack(gone)) end
end
