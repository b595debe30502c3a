-- Counts what a turn has used of models: for its task, for the tasks that called it, and for the day. It
-- counts also if the turn has lost its task meanwhile: the model was asked nevertheless.
--
-- KEYS  tasks_root    as in append.lua; made from it: <task>:u (hash), what a task and the tasks that it called have
--                     used
--       usage_root    made from it: <root>:<day> (hash), what was used in that day, by tenant, agent and model
-- ARGV  task_id
--       owner         as in keys.ts
--       fence         fencing token of the turn
--       number        of this call within the turn: 1, 2, …
--       is_published  '1': clients see it in the task's metadata; '': they do not
--       kept_ms       how long the totals of a day are kept
--       has_budgets   '1': tenants or principals have budgets, see spent-budgets.lua; '': none has
-- EACH  model         printable ASCII, without '"' and '\'
--       key           if the amounts are all that was used so far of what it names; else '': they are added
--       input_tokens  and the other amounts, whole numbers
--       output_tokens
--       cached_tokens
--       reasoning_tokens
--       calls
--       unpriced_calls
--       micro_usd
-- Returns  recorded | known (the command was sent twice) | gone (there is no such task)
-- Invariant: each call of a turn counts once. The total of a task is the sum of its own and of all tasks below it.

local tasks_root, usage_root = unpack(KEYS)
local task_id, owner, fence, number, is_published, kept_ms, has_budgets = unpack(ARGV, 1, 7)
local AMOUNTS =
  { 'inputTokens', 'outputTokens', 'cachedTokens', 'reasoningTokens', 'calls', 'unpricedCalls', 'microUsd' }
local FIRST, SIZE = 8, 9
-- More models or called tasks of a task, and more fields of a day, are counted together, as `other`.
local MAX_MODELS, MAX_CALLED, MAX_KEYS, MAX_FIELDS_OF_DAY = 32, 256, 1000, 70000

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/timestamps.lua"

local task_key = tasks_root .. task_id
local usage_key = task_key .. ':u'
local state, caller = unpack(redis.call('HMGET', task_key, 'state', 'caller'))
if not state then return 'gone' end
if tonumber(redis.call('HGET', usage_key, 'number ' .. fence) or 0) >= tonumber(number) then return 'known' end

-- What was used is used: it is counted also when there is no memory left.
allow_out_of_memory(task_key)
redis.call('HSET', usage_key, 'number ' .. fence, number)

-- The name, or `other` if the hash has too many others. kind: its names are counted in this field
local function counted_name(key, kind, name, max)
  local fields = {}
  for i, amount in ipairs(AMOUNTS) do fields[i] = kind .. ' ' .. amount .. ' ' .. name end
  for _, known in ipairs(redis.call('HMGET', key, unpack(fields))) do
    if known then return name end
  end
  return redis.call('HINCRBY', key, 'many ' .. kind, '1') <= max and name or 'other'
end

local function add(key, group, name, amounts)
  for i, amount in ipairs(AMOUNTS) do
    if amounts[i] > 0 then
      redis.call('HINCRBY', key, group .. ' ' .. amount .. (name ~= '' and ' ' .. name or ''),
        ('%.0f'):format(amounts[i]))
    end
  end
end

-- What of these amounts, which are all that was used so far under this key, was not counted yet.
local function growth(key, amounts)
  local field, before = 'key ' .. key, {}
  local known = redis.call('HGET', usage_key, field)
  for amount in (known or ''):gmatch('%d+') do before[#before + 1] = tonumber(amount) end
  local most, grown = {}, {}
  for i, amount in ipairs(amounts) do
    most[i] = ('%.0f'):format(math.max(amount, before[i] or 0))
    grown[i] = math.max(0, amount - (before[i] or 0))
  end
  if known or redis.call('HINCRBY', usage_key, 'many keys', '1') <= MAX_KEYS then
    redis.call('HSET', usage_key, field, table.concat(most, ' '))
  end
  return grown
end

local day_key = usage_root .. ':' .. timestamp(now_ms()):sub(1, 10)
local tenant, agent = owner:match('^([^/]*)/[^/]*/(.*)$')
local sum = { 0, 0, 0, 0, 0, 0, 0 }
for at = FIRST, #ARGV, SIZE do
  local model, key, amounts = ARGV[at], ARGV[at + 1], {}
  for i = 1, #AMOUNTS do amounts[i] = tonumber(ARGV[at + 1 + i]) end
  if key ~= '' then amounts = growth(key, amounts) end
  add(usage_key, 'own', counted_name(usage_key, 'own', model, MAX_MODELS), amounts)
  local of_day = tenant .. '/' .. agent .. '/' .. model
  if redis.call('HLEN', day_key) > MAX_FIELDS_OF_DAY and redis.call('HEXISTS', day_key, 'calls ' .. of_day) == 0 then
    of_day = 'other/other/other'
  end
  for i, amount in ipairs(AMOUNTS) do
    if amounts[i] > 0 then redis.call('HINCRBY', day_key, amount .. ' ' .. of_day, ('%.0f'):format(amounts[i])) end
    sum[i] = sum[i] + amounts[i]
  end
end
redis.call('PEXPIRE', day_key, kept_ms)
if has_budgets ~= '' and sum[7] > 0 then
  local day = timestamp(now_ms()):sub(1, 10)
  for _, of in ipairs({ day, day:sub(1, 7) }) do
    local key = usage_root .. ':spent:' .. of
    for _, name in ipairs({ tenant, owner:match('^(.*)/') }) do
      redis.call('HINCRBY', key, name, ('%.0f'):format(sum[7]))
    end
    redis.call('PEXPIRE', key, #of == 7 and 33 * 86400000 or 2 * 86400000)
  end
end

-- The usage of a task that has ended stays as long as the task.
local function keep_with_task(key, its_state)
  local left = redis.call('PTTL', key)
  if its_state:upper() == its_state and left > 0 then redis.call('PEXPIRE', key .. ':u', left) end
end

local function count(its_task_key, its_state)
  add(its_task_key .. ':u', 'total', '', sum)
  if is_published == '' then redis.call('HSET', its_task_key .. ':u', 'hidden', '1') end
  redis.call('HSET', its_task_key, 'has_other_keys', '1')
  keep_with_task(its_task_key, its_state)
end

count(task_key, state)
local child, child_agent, depth = task_id, agent, 0
while caller and depth < 64 do
  local key = tasks_root .. caller
  local its_state, its_owner, its_caller = unpack(redis.call('HMGET', key, 'state', 'owner', 'caller'))
  if not its_state then break end
  local name = counted_name(key .. ':u', 'of', child, MAX_CALLED)
  add(key .. ':u', 'of', name, sum)
  redis.call('HSET', key .. ':u', 'agent ' .. name, name == 'other' and 'other' or child_agent)
  count(key, its_state)
  child, child_agent, caller, depth = caller, its_owner:match('[^/]*$'), its_caller, depth + 1
end
return 'recorded'
