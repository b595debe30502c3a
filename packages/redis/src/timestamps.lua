-- Milliseconds since 1970 as text. Scripts that make or end a task run this, so it calls few functions: string.char,
-- which cuts off fractions, makes all digits at once.

local sortable_ms, sortable_text
-- Text that sorts like the number. Eight characters, 0-9 and a-z: enough until the year 2059.
local function sortable(ms)
  if ms == sortable_ms then return sortable_text end
  sortable_ms = ms
  local h = ms % 36
  ms = (ms - h) / 36
  local g = ms % 36
  ms = (ms - g) / 36
  local f = ms % 36
  ms = (ms - f) / 36
  local e = ms % 36
  ms = (ms - e) / 36
  local d = ms % 36
  ms = (ms - d) / 36
  local c = ms % 36
  ms = (ms - c) / 36
  local b = ms % 36
  local a = (ms - b) / 36
  sortable_text = string.char(a < 10 and a + 48 or a + 87, b < 10 and b + 48 or b + 87, c < 10 and c + 48 or c + 87,
    d < 10 and d + 48 or d + 87, e < 10 and e + 48 or e + 87, f < 10 and f + 48 or f + 87,
    g < 10 and g + 48 or g + 87, h < 10 and h + 48 or h + 87)
  return sortable_text
end

local timestamp_ms, timestamp_text
-- ISO 8601 (A2A 5.6.1). Days since 1970 as a civil date: the months are counted from March, so that the leap day is the
-- last of its year, and a cycle of 400 years has as many days as any other. `(n - n % d) / d` has no fraction.
local function timestamp(ms)
  if ms == timestamp_ms then return timestamp_text end
  timestamp_ms = ms
  local of_day = ms % 86400000
  local days = (ms - of_day) / 86400000 + 719468
  local of_cycle = days % 146097
  local of_years = of_cycle - (of_cycle - of_cycle % 1460) / 1460 + (of_cycle - of_cycle % 36524) / 36524
    - (of_cycle - of_cycle % 146096) / 146096
  local year = (of_years - of_years % 365) / 365
  local of_year = of_cycle - 365 * year - (year - year % 4) / 4 + (year - year % 100) / 100
  local of_months = 5 * of_year + 2
  local month = (of_months - of_months % 153) / 153
  local before = 153 * month + 2
  local day = of_year - (before - before % 5) / 5 + 1
  month = month < 10 and month + 3 or month - 9
  year = year + (days - of_cycle) / 146097 * 400 + (month <= 2 and 1 or 0)
  local hour, minute, second, milli = of_day / 3600000, of_day / 60000 % 60, of_day / 1000 % 60, of_day % 1000
  timestamp_text = string.char(48 + year / 1000, 48 + year / 100 % 10, 48 + year / 10 % 10, 48 + year % 10, 45,
    48 + month / 10, 48 + month % 10, 45, 48 + day / 10, 48 + day % 10, 84,
    48 + hour / 10, 48 + hour % 10, 58, 48 + minute / 10, 48 + minute % 10, 58, 48 + second / 10, 48 + second % 10, 46,
    48 + milli / 100, 48 + milli / 10 % 10, 48 + milli % 10, 90)
  return timestamp_text
end
