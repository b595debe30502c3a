-- texts: the texts that grow: the history, and the parts of each artifact. A small text is a field of the hash. A large
-- one is a string of its own, named in the field `@<name>`, and changes only by appending. The string's name carries
-- the seq at which it was made, so that a replaced text gets a new string.

-- By name: what will be added (1, 2, …), where the text is (inside: the text itself; outside: its key), and for an
-- artifact `open`: how its open last part begins.
local texts = {}

local function add_text(name, addition)
  local text = texts[name]
  text[#text + 1] = addition
end

-- A raw tab separates messages: it is white space in JSON, never inside a message, and harmless in an SSE frame.
local function add_to_history(message)
  if not texts.h then
    local inside, outside = unpack(redis.call('HMGET', task_key, 'h', '@h'))
    texts.h = { inside = inside, outside = outside }
  end
  add_text('h', ',\t' .. message)
end

-- Empties the text, and returns it.
local function drop_text(name)
  local text = texts[name]
  if text.inside then other_fields[name] = false end
  if text.outside then
    redis.call('DEL', text.outside)
    other_fields['@' .. name] = false
  end
  texts[name] = {}
  return texts[name]
end

local function write_texts(record)
  for name, text in pairs(texts) do
    if #text > 0 then
      local addition = table.concat(text)
      if text.outside then
        redis.call('APPEND', text.outside, addition)
      else
        local all = (text.inside or '') .. addition
        if #all <= tonumber(inline_bytes) then
          other_fields[name] = all
        else
          local outside = task_key .. ':' .. name .. ':' .. record.seq
          redis.call('SET', outside, all)
          other_fields['@' .. name] = outside
          if text.inside then other_fields[name] = false end
        end
      end
    end
  end
end
