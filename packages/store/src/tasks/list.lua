-- list: one page of the tasks of a principal, or of one of its contexts, by status time, the latest first.
--
--- @include "../redis/lua/sortable.lua"
--
-- KEYS  1 index (zset; every score 0, members state .. time .. id)
-- ARGV  1 state letters ('' all)   2 earliest time ('' any)   3 ms that an ended task is kept   4 page size
--       5 page token: time .. id of the last task seen ('' the first page)
-- Returns  total, then time .. id of each task of the page; one more than the page size if there is a next page
--
-- Invariant: total is exact. A task that does not move is on exactly one page; one that moves goes to the front, and is
-- never seen twice on the way down. Cost: O(states · (log n + page)).

local index = KEYS[1]
local states, since, retention_ms, size, token = unpack(ARGV)
if states == '' then states = 'CFRXaisw' end

local clock = redis.call('TIME')
local kept = sortable(math.max(0, clock[1] * 1000 - retention_ms))

local total, found = 0, {}
for letter in states:gmatch('.') do
  local has_ended = letter:upper() == letter
  local lowest = '[' .. letter .. (has_ended and kept > since and kept or since)
  total = total + redis.call('ZLEXCOUNT', index, lowest, '(' .. letter .. '~')
  local highest = '(' .. letter .. (token == '' and '~' or token)
  for _, member in ipairs(redis.call('ZREVRANGEBYLEX', index, highest, lowest, 'LIMIT', 0, size + 1)) do
    found[#found + 1] = member:sub(2)
  end
end

table.sort(found) -- upwards, without a comparison in Lua: the page is its end, read backwards
local page = { total }
for i = #found, math.max(#found - size, 1), -1 do page[#page + 1] = found[i] end
return page
