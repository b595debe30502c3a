-- whenFull: what ends, gives back or concludes something goes on although Redis has no memory left (maxmemory,
-- noeviction): it is what makes room again. Redis then refuses the first write of a script, and no later one, so that
-- none is left half done: a first write that needs no memory opens the way. All other scripts begin with one that needs
-- some, and are refused as a whole.

local function go_on_when_full(key) redis.call('DEL', key .. ':none') end
