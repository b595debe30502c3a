-- Reads one page of the tasks in some indexes of a shard, the latest first.
--
-- KEYS  indexes*      zsets; every score 0, members state .. time .. id
-- ARGV  states        letters
--       since         earliest time; '' any
--       upto          latest time; '' any
--       kept          earliest time of an ended task
--       size          of the page
--       token         time .. id of the last task seen; '' the first page
-- Returns  total, then time .. id of each task of the page; one more than the page size if there is a next page
-- Invariant: total is exact. Cost: O(indexes · states · (log n + page)) at most; a page reads about
-- twice its members.

local states, since, upto, kept, size, token = unpack(ARGV)

local total, ranges = 0, {}
for _, index in ipairs(KEYS) do
  for state in states:gmatch('.') do
    local has_ended = state:upper() == state
    local lowest = '[' .. state .. (has_ended and kept > since and kept or since)
    local latest = '(' .. state .. upto .. '~'
    local there = redis.call('ZLEXCOUNT', index, lowest, latest)
    if there > 0 then
      total = total + there
      local highest = token ~= '' and token < upto .. '~' and '(' .. state .. token or latest
      ranges[#ranges + 1] = { index = index, lowest = lowest, highest = highest, members = {}, at = 0 }
    end
  end
end

-- Most ranges have few members of a page: more are read only of those that have members left for it.
local wanted = size + 1
local few = math.min(wanted, 2 * math.ceil(wanted / math.max(#ranges, 1)))

-- Moves the head of the range to its next member. Returns nil after the last.
local function advance(range)
  range.at = range.at + 1
  if range.at > #range.members then
    local last = range.members[#range.members]
    if last then range.highest = '(' .. last end
    range.members = redis.call('ZREVRANGEBYLEX', range.index, range.highest, range.lowest, 'LIMIT', 0, few)
    range.at = 1
  end
  local member = range.members[range.at]
  range.head = member and member:sub(2)
  return member
end

local heads = {}
for _, range in ipairs(ranges) do
  if advance(range) then heads[#heads + 1] = range end
end
local page = { total }
while #page <= wanted and #heads > 0 do
  local latest, head = 1, heads[1].head
  for i = 2, #heads do
    if heads[i].head > head then latest, head = i, heads[i].head end
  end
  page[#page + 1] = head
  if not advance(heads[latest]) then table.remove(heads, latest) end
end
return page
