-- Reads one page of the tasks of a principal, or of one of its contexts, by status time, the latest first.
--
-- KEYS  index         zset; every score 0, members state .. time .. id
--       tasks_root    prefix of the keys of tasks
-- ARGV  states        letters
--       since         earliest time; '' any
--       kept          earliest time of an ended task
--       size          of the page
--       token         time .. id of the last task seen; '' the first page
--       owner
--       context       as JSON text; '' all contexts of the principal
-- Returns  total, then time .. id of each task of the page; one more than the page size if there is a next page
--
-- Invariant: total is exact. A task that does not change is on exactly one page; one that changes moves to the front,
-- and is never listed twice in later pages. Cost: O(states · (log n + page)).

--- @include "../accept/initial-task.lua"

local index, tasks_root = unpack(KEYS)
local states, since, kept, size, token, owner, context = unpack(ARGV)

local function earliest(state)
  local has_ended = state:upper() == state
  return state .. (has_ended and kept > since and kept or since)
end

if context ~= '' and redis.call('EXISTS', index) == 0 then
  local initial = initial_task_of(tasks_root, context, owner)
  local state = initial and initial:sub(1, 1)
  if not initial or not states:find(state, 1, true) or initial < earliest(state) then return { 0 } end
  local position = initial:sub(2)
  return token ~= '' and position >= token and { 1 } or { 1, position }
end

local total, found = 0, {}
for state in states:gmatch('.') do
  local lowest = '[' .. earliest(state)
  total = total + redis.call('ZLEXCOUNT', index, lowest, '(' .. state .. '~')
  local highest = '(' .. state .. (token == '' and '~' or token)
  for _, member in ipairs(redis.call('ZREVRANGEBYLEX', index, highest, lowest, 'LIMIT', 0, size + 1)) do
    found[#found + 1] = member:sub(2)
  end
end

table.sort(found) -- ascending, which needs no comparison in Lua: the page is its end, read backwards
local page = { total }
for i = #found, math.max(#found - size, 1), -1 do page[#page + 1] = found[i] end
return page
