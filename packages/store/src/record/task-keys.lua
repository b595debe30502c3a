-- Every key of a task, and every field and member of other keys that names it. What ends a task lets its keys expire by
-- this list (commit.lua, end-tasks.lua), and what removes a task before deletes by it (delete.lua, drop-tasks.lua).
--
-- Made from the task's key, besides the strings of long texts (texts.lua):
--   :e events    for some time after the end
--   :i inbox     until the end        :c calls     until the end
--   and as long as the task, of few tasks (`has_other_keys`):
--   :s steps   :l notes   :f failures   :w webhooks   :d dead letter   :u usage of models

local OTHER_KEYS, KEPT_KEYS = 'eic', 'slfwdu'

-- The strings of texts that have outgrown the hash. history: the field `@h`; artifacts: the field of that name
local function long_texts(task_key, history, artifacts)
  local found = { history or nil }
  for n = 1, tonumber(artifacts or 0) do
    found[#found + 1] = redis.call('HGET', task_key, '@p' .. n) or nil
  end
  return found
end
