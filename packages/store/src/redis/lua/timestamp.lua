-- timestamp: milliseconds since 1970 as ISO 8601 (A2A 5.6.1).

local timestamp_ms, timestamp_text
-- Days since 1970 as a civil date (the months counted from March, so that the leap day is the last of its year).
local function timestamp(ms)
  if ms == timestamp_ms then return timestamp_text end
  timestamp_ms = ms
  local days, rest = math.floor(ms / 86400000), ms % 86400000
  days = days + 719468
  local era = math.floor(days / 146097)
  local day_of_era = days - era * 146097
  local year_of_era = math.floor(
    (day_of_era - math.floor(day_of_era / 1460) + math.floor(day_of_era / 36524) - math.floor(day_of_era / 146096)) / 365)
  local day_of_year = day_of_era - (365 * year_of_era + math.floor(year_of_era / 4) - math.floor(year_of_era / 100))
  local month = math.floor((5 * day_of_year + 2) / 153)
  local day = day_of_year - math.floor((153 * month + 2) / 5) + 1
  month = month < 10 and month + 3 or month - 9
  local year = year_of_era + era * 400 + (month <= 2 and 1 or 0)
  timestamp_text = string.format('%04d-%02d-%02dT%02d:%02d:%02d.%03dZ', year, month, day,
    math.floor(rest / 3600000), math.floor(rest / 60000) % 60, math.floor(rest / 1000) % 60, rest % 1000)
  return timestamp_text
end
