-- An idempotency key in the name of a key under which a message is known (`keyName` in submission.ts). The
-- task's field `retry_names` lists them, one a line; its other messages are known under their ids, which its history
-- has.

-- nil: the message is known under its id
local function idempotency_key_in(message_id_key)
  return message_id_key:find(':Idempotency-Key\\u003a ', 1, true) and message_id_key:match('[^:]*$')
end
