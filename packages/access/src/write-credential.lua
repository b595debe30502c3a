-- Stores a created or revoked API key, and notifies all gateways.
--
-- KEYS  credentials  hash: id → the key as JSON, without its secret
-- ARGV  channel      on which a change is published
--       id
--       entry        as JSON
-- Returns  nil
-- Invariant: every change is published.

local credentials_key = unpack(KEYS)
local channel, id, entry = unpack(ARGV)

redis.call('HSET', credentials_key, id, entry)
redis.call('SPUBLISH', channel, id)
