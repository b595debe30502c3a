-- writeCredential: an API key is made or revoked, and all gateways are told.
--
-- KEYS  credentials  hash: id → the key as JSON, without its secret
-- ARGV  channel      that announces a change
--       id
--       entry        as JSON
-- Returns  nil
-- Invariant: none is changed without being announced.

local credentials_key = unpack(KEYS)
local channel, id, entry = unpack(ARGV)

redis.call('HSET', credentials_key, id, entry)
redis.call('PUBLISH', channel, id)
