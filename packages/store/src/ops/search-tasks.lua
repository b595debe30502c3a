-- searchTasks: one page of the tasks that are in some indexes of a shard, the latest first.
--
-- KEYS  indexes*      zsets; every score 0, members state .. time .. id
-- ARGV  states        letters
--       since         earliest time; '' any
--       upto          latest time; '' any
--       retention_ms  ms that an ended task is kept
--       size          of the page
--       token         time .. id of the last task seen; '' the first page
-- Returns  total, then time .. id of each task of the page; one more than the page size if there is a next page
-- Invariant: total is exact. Cost: O(indexes · states · (log n + page)).

--- @include "../redis/timestamps.lua"

local states, since, upto, retention_ms, size, token = unpack(ARGV)
local clock = redis.call('TIME')
local kept = sortable(math.max(0, clock[1] * 1000 - retention_ms))

local total, found = 0, {}
for _, index in ipairs(KEYS) do
  for letter in states:gmatch('.') do
    local has_ended = letter:upper() == letter
    local lowest = '[' .. letter .. (has_ended and kept > since and kept or since)
    local latest = '(' .. letter .. upto .. '~'
    local there = redis.call('ZLEXCOUNT', index, lowest, latest)
    if there > 0 then
      total = total + there
      local highest = token ~= '' and token < upto .. '~' and '(' .. letter .. token or latest
      for _, member in ipairs(redis.call('ZREVRANGEBYLEX', index, highest, lowest, 'LIMIT', 0, size + 1)) do
        found[#found + 1] = member:sub(2)
      end
    end
  end
end

table.sort(found) -- upwards, without a comparison in Lua: the page is its end, read backwards
local page = { total }
for i = #found, math.max(#found - size, 1), -1 do page[#page + 1] = found[i] end
return page
