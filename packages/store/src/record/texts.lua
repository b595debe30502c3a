-- texts: what grows: the history, and the parts of each artifact. A field of the hash while small, then a string of its
-- own, named in the field `@<name>`, which nothing ever changes but by appending. Its name carries the seq at which it
-- was made, so that a replaced text gets a new string.

-- By name: what is to be added (1, 2, …), where it is (inside: the text; outside: the key), of an artifact `open`.
local texts = {}

local function add_text(name, addition)
  local text = texts[name]
  text[#text + 1] = addition
end

-- A raw tab is white space in JSON, never part of a message, and harmless in a frame of SSE: each begins with it.
local function remember(message)
  if not texts.h then
    local inside, outside = unpack(redis.call('HMGET', task_key, 'h', '@h'))
    texts.h = { inside = inside, outside = outside }
  end
  add_text('h', ',\t' .. message)
end

-- The text begins anew. Returns it.
local function drop_text(name)
  local text = texts[name]
  if text.inside then others[name] = false end
  if text.outside then
    redis.call('DEL', text.outside)
    others['@' .. name] = false
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
          others[name] = all
        else
          local outside = task_key .. ':' .. name .. ':' .. record.seq
          redis.call('SET', outside, all)
          others['@' .. name] = outside
          if text.inside then others[name] = false end
        end
      end
    end
  end
end
