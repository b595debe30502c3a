-- sortable: milliseconds since 1970 as text that sorts like the number.

local sortable_ms, sortable_text
-- Eight characters, 0-9 and a-z: enough until the year 2059.
local function sortable(ms)
  if ms == sortable_ms then return sortable_text end
  sortable_ms = ms
  local codes = {}
  for i = 8, 1, -1 do
    local digit = ms % 36
    codes[i] = digit < 10 and digit + 48 or digit + 87
    ms = (ms - digit) / 36
  end
  sortable_text = string.char(unpack(codes))
  return sortable_text
end
