-- The reply to a retry of a message. Needs tasks_root.
--
-- message_id_key: string, '<fingerprint> <task id> <number of the message in its task>'
-- Returns  { 'duplicate' … } as add-message.lua, whatever the task's state is now | { 'conflict' }
--       | { 'forgotten', task id, number of the message } (the task is gone, or only in the archive)

local function first_answer(message_id_key, fingerprint)
  local known_print, task_id, number = redis.call('GET', message_id_key):match('^(%S+) (%S+) (%d+)$')
  if known_print ~= fingerprint then return { 'conflict' } end
  local seq, job, context, skill, level =
    unpack(redis.call('HMGET', tasks_root .. task_id, 'seq', 'job', 'context', 'skill', 'level'))
  if not seq then return { 'forgotten', task_id, tonumber(number) } end
  return { 'duplicate', task_id, context, tonumber(number), tonumber(seq), tonumber(job or 0), '', 0, skill or '',
    level or '' }
end
