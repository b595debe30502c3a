-- Claims members of a sorted set that are due, by their scores. A claimed member is due again when its claim
-- ends. All scores move before anything else is read: so a member that cannot be worked on holds up no other. Needs
-- server.lua.
--
-- set_key: zset, member -> ms when it is due
-- what: due_ms: members up to this score are due; claim_ms: how long the claim lasts; limit: number of members at most;
--   makes_room: also while Redis has no memory left, because the work on a member makes room
-- Returns the members, the longest due first

local function claim(set_key, what)
  local members, scores = redis.call('ZRANGEBYSCORE', set_key, '-inf', what.due_ms, 'LIMIT', '0', what.limit), {}
  if #members == 0 then return members end
  if what.makes_room then allow_out_of_memory(set_key) end
  local due_again = ('%.0f'):format(what.due_ms + what.claim_ms)
  for i, member in ipairs(members) do scores[2 * i - 1], scores[2 * i] = due_again, member end
  redis.call('ZADD', set_key, unpack(scores))
  return members
end

-- The rows of a reply: look(member) returns what the script replies for the member, nil: nothing. If a key that the
-- member names is damaged, or has another type, its row is { 'damaged', member, the error }.
local function rows_of(members, look)
  local rows = {}
  for _, member in ipairs(members) do
    local is_sound, row = pcall(look, member)
    if not is_sound then row = { 'damaged', member, type(row) == 'table' and row.err or tostring(row) } end
    if row then rows[#rows + 1] = row end
  end
  return rows
end
