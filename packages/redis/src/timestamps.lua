-- Milliseconds since 1970 as text.

local sortable_ms, sortable_text
-- Text that sorts like the number. Eight characters, 0-9 and a-z: enough until the year 2059.
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

local timestamp_ms, timestamp_text
-- ISO 8601 (A2A 5.6.1). Days since 1970 as a civil date: the months are counted from March, so that the leap day is the
-- last of its year, and a cycle of 400 years has as many days as any other.
local function timestamp(ms)
  if ms == timestamp_ms then return timestamp_text end
  timestamp_ms = ms
  local days, rest = math.floor(ms / 86400000) + 719468, ms % 86400000
  local cycle = math.floor(days / 146097)
  local day = days - cycle * 146097
  local year = math.floor((day - math.floor(day / 1460) + math.floor(day / 36524) - math.floor(day / 146096)) / 365)
  local day_of_year = day - (365 * year + math.floor(year / 4) - math.floor(year / 100))
  local month = math.floor((5 * day_of_year + 2) / 153)
  local day_of_month = day_of_year - math.floor((153 * month + 2) / 5) + 1
  month = month < 10 and month + 3 or month - 9
  year = year + cycle * 400 + (month <= 2 and 1 or 0)
  timestamp_text = string.format('%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', year, month, day_of_month,
    math.floor(rest / 3600000), math.floor(rest / 60000) % 60, math.floor(rest / 1000) % 60, rest % 1000)
  return timestamp_text
end
