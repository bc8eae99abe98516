/**
 * Facts and limits of agents. Needs `CLAIMS`. Hash `w:` of an agent: `h` packed: 1 generation, 2 number of facts and
 * windows, 3 number of amounts in all windows, 4 time until which the hash is kept, 5 time until which facts are
 * unknown. Field `f…`: a fact, packed: 1 time until which it is kept, 2 latest expiry of settings that cannot be
 * reverted, then order and expiry of each other setting. Field `l…`: a window, packed: 1 as of a fact, 2 and 3 units
 * and nanos of its sum, 4 number of amounts, 5 time of the oldest, 6 of the newest, -1: none. List `l:` of agent and
 * window: `time:order:units:nanos` in the order of the times. Sorted set `x:` of an agent: its facts and windows by the
 * time until which they are kept. Of a generation: sorted set `ends:` of agents by the time until which they are kept,
 * hash `kept:` with the number of facts and windows of each, their sum as `kept` in `claims:`.
 */
export const RULES = `
local UNIT, SETTERS = 1000000000, 8
local kept, ends = name .. 'kept:' .. (gen or ''), name .. 'ends:' .. (gen or '')
local function kept_of(agent, fields)
  local k = {
    agent = agent, key = name .. 'w:' .. agent, list = name .. 'x:' .. agent,
    own = false, n = 0, amounts = 0, ends = 0, unknown = 0, v = {}, order = {}, changed = {}, dirty = false
  }
  local v = call('HMGET', k.key, 'h', unpack(fields))
  local h = v[1] and cmsgpack.unpack(v[1])
  if not h or h[1] ~= gen then return k end
  k.own, k.n, k.amounts, k.ends, k.unknown = true, h[2], h[3], h[4], h[5]
  k.before = k.n
  for i = 1, #fields do
    if v[i + 1] then k.v[fields[i]] = cmsgpack.unpack(v[i + 1]) end
  end
  return k
end
local function own_kept(k)
  if not k.own then call('DEL', k.key, k.list) end
  k.own = true
end
local function change(k, field)
  k.dirty = true
  if k.changed[field] then return end
  k.changed[field] = true
  k.order[#k.order + 1] = field
end
local function left_of(until_ms, now, more) return whole(math.min(1e13, max(1, until_ms - now) + ms_ahead(now) + more)) end
local function ends_at(k, time)
  if time > k.ends then k.ends, k.later, k.dirty = time, true, true end
end
local function keep(k, field, now, length, list)
  local value = k.v[field]
  if value[1] >= now + length then return end
  own_kept(k)
  value[1] = now + 2 * length
  call('ZADD', k.list, whole(value[1]), field)
  if list then call('PEXPIRE', list, left_of(value[1], now, 3600000)) end
  ends_at(k, value[1])
end
local function put_kept(k, now)
  if not k.dirty then return end
  own_kept(k)
  local args = {'h', cmsgpack.pack({gen, k.n, k.amounts, k.ends, k.unknown})}
  for i = 1, #k.order do
    local value = k.v[k.order[i]]
    if value then args[#args + 1], args[#args + 2] = k.order[i], cmsgpack.pack(value) end
  end
  call('HSET', k.key, unpack(args))
  if k.later then
    call('PEXPIRE', k.key, left_of(k.ends, now, 3600000))
    call('PEXPIRE', k.list, left_of(k.ends, now, 3600000))
    call('ZADD', ends, whole(k.ends), k.agent)
  end
  if k.n ~= k.before then
    local before = tonumber(call('HGET', kept, k.agent)) or 0
    call('HSET', kept, k.agent, whole(k.n))
    call('HINCRBY', figures, 'kept', whole(k.n - before))
  end
end
local function drop_kept(agent)
  local n = tonumber(call('HGET', kept, agent)) or 0
  call('DEL', name .. 'w:' .. agent, name .. 'x:' .. agent)
  call('HDEL', kept, agent)
  call('ZREM', ends, agent)
  if n > 0 then call('HINCRBY', figures, 'kept', whole(-n)) end
end
local function list_key(k, field) return name .. 'l:' .. k.agent .. ':' .. field end
local function read_amount(text)
  local at, order, u, n = string.match(text, '^(%d+):(%d+):(%d+):(%d+)$')
  return tonumber(at), tonumber(u), tonumber(n)
end
local function subtract(w, u, n)
  w[2], w[3] = w[2] - u, w[3] - n
  if w[3] < 0 then w[2], w[3] = w[2] - 1, w[3] + UNIT end
  w[4] = w[4] - 1
end
local function trim_window(k, field, edge)
  local w = k.v[field]
  if not w or w[4] == 0 or w[5] > edge then return end
  local key, before = list_key(k, field), w[4]
  change(k, field)
  if w[6] <= edge then
    call('DEL', key)
    w[2], w[3], w[4] = 0, 0, 0
  end
  while w[4] > 0 do
    local page = call('LRANGE', key, 0, 99)
    local gone = 0
    if #page == 0 then w[2], w[3], w[4] = 0, 0, 0 end
    for i = 1, #page do
      local at, u, n = read_amount(page[i])
      if at > edge then
        w[5] = at
        break
      end
      subtract(w, u, n)
      gone = i
    end
    if gone > 0 then call('LTRIM', key, gone, -1) end
    if gone < #page then break end
  end
  if w[4] == 0 then w[5], w[6] = -1, -1 end
  k.amounts = k.amounts - (before - w[4])
end
local function count_amount(k, field, at, order, u, n, length)
  local w, key = k.v[field], list_key(k, field)
  if not w then
    w = {0, 0, 0, 0, -1, -1}
    k.v[field], k.n = w, k.n + 1
    call('DEL', key)
  end
  change(k, field)
  local later = {}
  while w[6] > at and #later < w[4] do
    local last = call('LINDEX', key, -1)
    if not last or read_amount(last) <= at then break end
    later[#later + 1] = call('RPOP', key)
  end
  call('RPUSH', key, whole(at) .. ':' .. whole(order) .. ':' .. whole(u) .. ':' .. whole(n))
  for i = #later, 1, -1 do call('RPUSH', key, later[i]) end
  w[2], w[3], w[4] = w[2] + u, w[3] + n, w[4] + 1
  if w[3] >= UNIT then w[2], w[3] = w[2] + 1, w[3] - UNIT end
  if w[5] < 0 or at < w[5] then w[5] = at end
  w[6] = max(w[6], at)
  k.amounts = k.amounts + 1
  keep(k, field, at, length, key)
end
local function remove_amount(k, field, at, order, u, n)
  local w, key = k.v[field], list_key(k, field)
  if not w or w[4] == 0 then return end
  local text = whole(at) .. ':' .. whole(order) .. ':' .. whole(u) .. ':' .. whole(n)
  if call('LREM', key, -1, text) == 0 then return end
  subtract(w, u, n)
  k.amounts = k.amounts - 1
  local first, last = call('LINDEX', key, 0), call('LINDEX', key, -1)
  w[5], w[6] = first and read_amount(first) or -1, last and read_amount(last) or -1
  change(k, field)
end
local function is_set(fact, now)
  if not fact then return false end
  if fact[2] > now then return true end
  for i = 4, #fact, 2 do
    if fact[i] > now then return true end
  end
  return false
end
-- The name of UNKNOWN_FACTS makes all facts unknown, and needs no room.
local function set_fact(k, field, order, now, length)
  if string.sub(field, -9) == ' @unknown' then
    own_kept(k)
    k.unknown, k.dirty = max(k.unknown, now + length), true
    ends_at(k, k.unknown)
    return
  end
  local fact = k.v[field]
  if not fact then
    fact = {0, 0}
    k.v[field], k.n = fact, k.n + 1
  end
  fact[#fact + 1], fact[#fact + 2] = order, now + length
  if #fact > 2 + 2 * SETTERS then
    fact[2] = max(fact[2], fact[4])
    table.remove(fact, 3)
    table.remove(fact, 3)
  end
  change(k, field)
  keep(k, field, now, length)
end
local function revert_fact(k, field, order)
  local fact = k.v[field]
  if not fact then return end
  for i = #fact - 1, 3, -2 do
    if fact[i] == order then
      table.remove(fact, i)
      table.remove(fact, i)
      change(k, field)
    end
  end
end
local function uncount_rules(agent, at, now, counted)
  local fields, facts, limits = {}, counted[2], counted[3]
  for i = 1, #facts do fields[#fields + 1] = facts[i] end
  for i = 1, #limits, 3 do fields[#fields + 1] = limits[i] end
  if #fields == 0 then return end
  local k = kept_of(agent, fields)
  if not k.own then return end
  for i = 1, #facts do revert_fact(k, facts[i], counted[1]) end
  for i = 1, #limits, 3 do remove_amount(k, limits[i], at, counted[1], limits[i + 1], limits[i + 2]) end
  put_kept(k, now)
end
local function give_back_held(agent, now, held)
  local fields = {}
  for i = 1, #held do fields[i] = held[i][1] end
  if #fields == 0 then return end
  local k = kept_of(agent, fields)
  if not k.own then return end
  for i = 1, #held do remove_amount(k, held[i][1], held[i][2], held[i][3], held[i][4], held[i][5]) end
  put_kept(k, now)
end
`;

/** Removal of expired facts and windows, at most 128 of one agent, and of 16 agents of which all are expired. */
export const RECLAIM = `
local function forget_kept(k, now)
  if not k.own then return end
  local gone = call('ZRANGEBYSCORE', k.list, '-inf', whole(now), 'LIMIT', 0, 128)
  if #gone == 0 then return end
  local values = call('HMGET', k.key, unpack(gone))
  for i = 1, #gone do
    local field = gone[i]
    if string.sub(field, 1, 1) == 'l' then
      local w = k.v[field] or values[i] and cmsgpack.unpack(values[i])
      if w then k.amounts = k.amounts - w[4] end
      call('DEL', list_key(k, field))
    end
    k.v[field] = nil
  end
  call('HDEL', k.key, unpack(gone))
  call('ZREM', k.list, unpack(gone))
  k.n, k.dirty = k.n - #gone, true
end
local function reclaim(own, now)
  local agents = call('ZRANGEBYSCORE', ends, '-inf', whole(now), 'LIMIT', 0, 16)
  for i = 1, #agents do
    if agents[i] ~= own then drop_kept(agents[i]) end
  end
end
`;
