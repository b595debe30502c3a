-- What a request with a reservation has really used, or how long its provider wants all to wait.
--
-- KEYS  pace         as in ask-for-room.lua
--       open         as in ask-for-room.lua
-- ARGV  id           of the request
--       tokens       that it used beyond those that it reserved; negative: it used fewer; '': it is not known yet
--       tokens_per_minute  0: no limit
--       paused_ms    nobody begins a request before this is over; 0: no pause
-- Returns  corrected | known (the tokens were corrected already, or the reservation is two hours old)
-- Invariant: the tokens of a request are corrected once. A pause does not end another one earlier.

local pace_key, open_key = unpack(KEYS)
local id, tokens, tokens_per_minute, paused_ms = unpack(ARGV)

--- @include "pace.lua"

allow_out_of_memory(pace_key)
local tokens_at, paused_until = unpack(redis.call('HMGET', pace_key, 'tokens_at', 'paused_until'))
if tonumber(paused_ms) > 0 then
  paused_until = math.max(tonumber(paused_until or 0), now_ms() + tonumber(paused_ms))
  redis.call('HSET', pace_key, 'paused_until', ms_text(paused_until))
  redis.call('PEXPIRE', pace_key, KEPT_MS)
end
if tokens == '' then return 'corrected' end
if redis.call('ZREM', open_key, id) == 0 then return 'known' end
tokens_at = tonumber(tokens_at or 0) + ms_of(tonumber(tokens), tonumber(tokens_per_minute))
redis.call('HSET', pace_key, 'tokens_at', ms_text(tokens_at))
redis.call('PEXPIRE', pace_key, KEPT_MS)
return 'corrected'
