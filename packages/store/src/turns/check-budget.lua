-- Whether a turn may ask a model or another agent, by the budgets of its task, of the tasks that called
-- it, of its principal and of its tenant. Nothing is reserved: whatever is under way when a budget is spent goes on.
--
-- KEYS  tasks_root     as in record-usage.lua
--       usage_root     as in record-usage.lua
-- ARGV  task_id
--       owner          as in keys.ts
--       fence          fencing token of the turn
--       micro_usd      budget of the task by its agent; 0: none
--       tokens         the same in tokens
--       client_usd     budget of the task that its client names with the message of this turn; 0: none
--       client_tokens  the same in tokens
--       asks           '1': its client is asked whether the task may go on, see continue-work.lua
--       tenant_day     budgets in micro-USD, those of quotas.ts; 0: none
--       tenant_month
--       principal_day
--       principal_month
-- Returns  { verdict, spent, budget, ms until which it is spent; of `task`: what it may spend once more }
--       free | fenced (the turn has lost its task) | task | caller | tenant | principal (whose budget is spent)
-- Invariant: a task that has spent its budget spends no more, apart from what is under way.

local tasks_root, usage_root = unpack(KEYS)
local task_id, owner, fence, micro_usd, tokens, client_usd, client_tokens, asks = unpack(ARGV, 1, 8)
local tenant_day, tenant_month, principal_day, principal_month = unpack(ARGV, 9, 12)

--- @include "@switchyard/redis/server.lua"
--- @include "@switchyard/redis/timestamps.lua"

local task_key = tasks_root .. task_id
local usage_key = task_key .. ':u'
local turn, messages, inbox, caller = unpack(redis.call('HMGET', task_key, 'turn', 'messages', 'inbox', 'caller'))
if turn ~= fence then return { 'fenced', 0, 0, 0 } end
local number = messages - inbox + 1
-- A turn that runs ends, also while Redis is full.
allow_out_of_memory(task_key)

-- What is spent of a task's budget, which is in the fields `limit`. own_limits: those of the task itself
local function spent_of(key, own_limits)
  local usd_limit, token_limit, usd, input, output =
    unpack(redis.call('HMGET', key, 'limit microUsd', 'limit tokens', 'total microUsd', 'total inputTokens',
      'total outputTokens'))
  if own_limits then usd_limit, token_limit = unpack(own_limits) end
  usd_limit, token_limit = tonumber(usd_limit or 0), tonumber(token_limit or 0)
  usd = tonumber(usd or 0)
  if usd_limit > 0 and usd >= usd_limit then return usd, usd_limit end
  local used = tonumber(input or 0) + tonumber(output or 0)
  -- Tokens are told from money by the sign.
  if token_limit > 0 and used >= token_limit then return -used, -token_limit end
end

local function least(a, b)
  a, b = tonumber(a or 0), tonumber(b or 0)
  if a == 0 or b == 0 then return math.max(a, b) end
  return math.min(a, b)
end

local named_usd, named_tokens, named_by, base_usd, base_tokens, known_usd, known_tokens =
  unpack(redis.call('HMGET', usage_key, 'client microUsd', 'client tokens', 'client message', 'base microUsd',
    'base tokens', 'limit microUsd', 'limit tokens'))
if (client_usd ~= '0' or client_tokens ~= '0') and named_by ~= ('%d'):format(number) then
  -- The client names a new budget, of the whole task.
  named_usd, named_tokens, base_usd, base_tokens = client_usd, client_tokens, 0, 0
  redis.call('HSET', usage_key, 'client microUsd', client_usd, 'client tokens', client_tokens,
    'client message', ('%d'):format(number))
  redis.call('HDEL', usage_key, 'asked', 'base microUsd', 'base tokens')
end
local allowed_usd, allowed_tokens = least(micro_usd, named_usd), least(tokens, named_tokens)
-- What was spent when the client let the task go on does not count again.
local function limit(allowed, base) return allowed > 0 and allowed + tonumber(base or 0) or 0 end
local limits = { limit(allowed_usd, base_usd), limit(allowed_tokens, base_tokens) }
-- Tasks that this one calls check them.
if limits[1] ~= tonumber(known_usd or 0) or limits[2] ~= tonumber(known_tokens or 0) then
  redis.call('HSET', task_key, 'has_other_keys', '1')
  redis.call('HSET', usage_key, 'limit microUsd', ('%.0f'):format(limits[1]), 'limit tokens',
    ('%.0f'):format(limits[2]))
end
local spent, budget = spent_of(usage_key, limits)
if spent then
  if asks == '1' then redis.call('HSET', usage_key, 'asked', ('%d'):format(number)) end
  return { 'task', spent, budget, budget < 0 and allowed_tokens or allowed_usd }
end

local depth = 0
while caller and depth < 64 do
  spent, budget = spent_of(tasks_root .. caller .. ':u')
  if spent then return { 'caller', spent, budget, 0 } end
  caller, depth = redis.call('HGET', tasks_root .. caller, 'caller'), depth + 1
end

local principal = owner:match('^(.*)/')
--- @include "../tasks/quotas/spent-budgets.lua"
local whose, ends
whose, spent, budget, ends = spent_budget(usage_root, principal,
  { tenant_day = tenant_day, tenant_month = tenant_month, principal_day = principal_day,
    principal_month = principal_month })
if whose then return { whose, spent, budget, ends } end
return { 'free', 0, 0, 0 }
