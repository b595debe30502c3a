-- sortable: milliseconds since 1970 as text that sorts like the number.

local DIGITS = '0123456789abcdefghijklmnopqrstuvwxyz'
local sortable_ms, sortable_text
-- Eight characters: enough until the year 2059.
local function sortable(ms)
  if ms == sortable_ms then return sortable_text end
  sortable_ms = ms
  local text = ''
  for _ = 1, 8 do
    local digit = ms % 36
    text = DIGITS:sub(digit + 1, digit + 1) .. text
    ms = (ms - digit) / 36
  end
  sortable_text = text
  return text
end
