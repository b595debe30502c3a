-- What a task has used of models, as a member of its metadata (docs/extensions/usage.md). The hash <task>:u
-- is written by record-usage.lua.

-- nil: nothing was used, or its agent's worker does not publish it
local function usage_text(task_key)
  local fields = redis.call('HGETALL', task_key .. ':u')
  local amounts, agents, names = { total = {}, own = {}, of = {} }, {}, { total = {}, own = {}, of = {} }
  for i = 1, #fields, 2 do
    local field, value = fields[i], fields[i + 1]
    if field == 'hidden' then return nil end
    local child = field:match('^agent (.*)')
    local group, amount, name = field:match('^(%l+) (%a+) ?(.*)')
    if child then agents[child] = value
    elseif amounts[group] then
      if not amounts[group][name] then
        amounts[group][name] = {}
        table.insert(names[group], name)
      end
      table.insert(amounts[group][name], '"' .. amount .. '":' .. value)
    end
  end
  if #names.total == 0 then return nil end
  local function object(group, name, first)
    local members = amounts[group][name]
    table.sort(members)
    return '{' .. first .. table.concat(members, ',') .. '}'
  end
  local text = '"https://switchyard.dev/a2a/extensions/usage/v1":{"total":' .. object('total', '', '')
  local function add(group, title, first)
    if #names[group] == 0 then return end
    table.sort(names[group])
    local objects = {}
    for i, name in ipairs(names[group]) do objects[i] = object(group, name, first(name)) end
    text = text .. ',"' .. title .. '":[' .. table.concat(objects, ',') .. ']'
  end
  add('own', 'own', function(model) return '"model":"' .. model .. '",' end)
  add('of', 'calls', function(child)
    return '"taskId":"' .. child .. '","agent":"' .. (agents[child] or '') .. '",'
  end)
  return text .. '}'
end
