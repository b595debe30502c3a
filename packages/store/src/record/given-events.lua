-- What was given to a task from outside, until its turn takes it. The steps of the task, <task>:s,
-- have, besides the fields in begin-step.lua, of the message that the turn works on:
--   awaited <name>   '' a turn has waited for such events, or has made a callback URL for them | '1' the suspended turn
--                    waits for one
--   schema <name>    JSON Schema of their data, of the suspended turn that waits for one; absent: any
--   given <number>   data (JSON) of an event that no turn has taken
--   pending <name>   numbers of those with this name, each after a blank
--   id <id>          '1': an event with this id was given
--   callback <hash>  name of the events that a callback URL gives, see ../waits/make-callback.lua
--   last_event       number of the event that was given last
--   kept_events      number of events that no turn has taken

-- The steps and events of an earlier message are dropped.
local function open_message(steps_key, number)
  if tonumber(redis.call('HGET', steps_key, 'message') or 0) == number then return end
  redis.call('DEL', steps_key)
  redis.call('HSET', steps_key, 'message', number)
end

local function number_of_message(record) return record.messages - record.inbox + 1 end

-- The first event with this name that no turn has taken: its number and its data; nil if there is none.
local function first_event(steps_key, name)
  local number = (redis.call('HGET', steps_key, 'pending ' .. name) or ''):match('%d+')
  if not number then return nil end
  return number, redis.call('HGET', steps_key, 'given ' .. number)
end

local function remove_event(steps_key, name, number)
  local rest = redis.call('HGET', steps_key, 'pending ' .. name):gsub('^ ' .. number, '')
  if rest == '' then redis.call('HDEL', steps_key, 'pending ' .. name)
  else redis.call('HSET', steps_key, 'pending ' .. name, rest) end
  redis.call('HDEL', steps_key, 'given ' .. number)
  redis.call('HINCRBY', steps_key, 'kept_events', '-1')
end
