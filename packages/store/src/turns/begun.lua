-- What a record keeps of the begin of an attempt, in its field l<epoch>: when it began, its number at the
-- message, ms that its job waited, its process, and ` t` if it took over a turn. Needs server.lua.

local function begun_text(attempt, waited_ms, token, is_taken_over)
  return ('%d %d %d %s%s'):format(now_ms(), attempt, waited_ms, token:match('^[^:]*'), is_taken_over and ' t' or '')
end
