-- The texts that grow: the history, and the parts of each artifact. A small text is a field of the hash. A large
-- one is a string of its own, named in the field `@<name>`, and changes only by appending (its room: expire-texts.lua).
-- The string's name has the seq at which it was made, so that a replaced text gets a new string. Needs inline_bytes.
--
-- record.changes.texts, by name: what will be added (1, 2, …), where the text is (inside: the text itself; outside: its
-- key), and for an artifact `open`: how its open last part begins.

local function add_text(record, name, addition)
  local text = record.changes.texts[name]
  text[#text + 1] = addition
end

-- A raw tab separates messages: it is white space in JSON, never inside a message, and harmless in an SSE frame.
local function add_to_history(record, message)
  local texts = record.changes.texts
  if not texts.h then
    local inside, outside = unpack(redis.call('HMGET', record.key, 'h', '@h'))
    texts.h = { inside = inside, outside = outside }
  end
  add_text(record, 'h', ',\t' .. message)
end

-- Empties the text, and returns it.
local function drop_text(record, name)
  local texts, fields = record.changes.texts, record.changes.fields
  local text = texts[name]
  if text.inside then fields[name] = false end
  if text.outside then
    redis.call('DEL', text.outside)
    fields['@' .. name] = false
  end
  texts[name] = {}
  return texts[name]
end

local function write_texts(record)
  local fields = record.changes.fields
  for name, text in pairs(record.changes.texts) do
    if #text > 0 then
      local addition = table.concat(text)
      if text.outside then
        redis.call('APPEND', text.outside, addition)
      else
        local all = (text.inside or '') .. addition
        if #all <= tonumber(inline_bytes) then
          fields[name] = all
        else
          local outside = record.key .. ':' .. name .. ':' .. record.seq
          redis.call('SET', outside, all)
          fields['@' .. name] = outside
          if text.inside then fields[name] = false end
        end
      end
    end
  end
end
