/**
 * Approvals of agents. Needs `CLAIMS`. Hash `p:` of an agent: `h` the generation; by binding an approval, packed: 1 id,
 * 2 state (1 pending, 2 approved, 3 denied, 4 consumed), 3 time of expiry, 4 time until which it is usable, 5 it may be
 * used again; `i` and an id: its binding. Sorted set `y:` of an agent: bindings by the time at which their approvals are
 * over; `z:`: those that are pending, by expiry.
 */
export const APPROVALS = `
local KNOWN, MOST_KEPT = 3600000, 1000
local function approvals_of(agent)
  local p = {key = name .. 'p:' .. agent, ends = name .. 'y:' .. agent, open = name .. 'z:' .. agent}
  p.own = call('HGET', p.key, 'h') == gen
  return p
end
local function drop_approvals(agent)
  call('DEL', name .. 'p:' .. agent, name .. 'y:' .. agent, name .. 'z:' .. agent)
end
local function approval_of(p, binding)
  local v = p.own and call('HGET', p.key, binding)
  return v and cmsgpack.unpack(v) or nil
end
local function over_at(r) return r[2] == 2 and r[4] or r[3] end
local function put_approval(p, binding, r, now)
  if not p.own then
    call('DEL', p.key, p.ends, p.open)
    call('HSET', p.key, 'h', gen)
    p.own = true
  end
  local old = approval_of(p, binding)
  if old and old[1] ~= r[1] then call('HDEL', p.key, 'i' .. old[1]) end
  call('HSET', p.key, binding, cmsgpack.pack(r), 'i' .. r[1], binding)
  call('ZADD', p.ends, whole(over_at(r)), binding)
  if r[2] == 1 then call('ZADD', p.open, whole(r[3]), binding) else call('ZREM', p.open, binding) end
  local last = tonumber(call('ZRANGE', p.ends, -1, -1, 'WITHSCORES')[2])
  local left = whole(math.min(1e13, max(1, last - now) + ms_ahead(now) + 2 * KNOWN))
  call('PEXPIRE', p.key, left)
  call('PEXPIRE', p.ends, left)
  call('PEXPIRE', p.open, left)
end
local function drop_approval(p, binding)
  local r = approval_of(p, binding)
  if r then call('HDEL', p.key, binding, 'i' .. r[1]) end
  call('ZREM', p.ends, binding)
  call('ZREM', p.open, binding)
end
local function forget_approvals(p, now)
  if not p.own then return end
  local over = call('ZRANGEBYSCORE', p.ends, '-inf', whole(now), 'WITHSCORES')
  for i = 1, #over, 2 do
    if tonumber(over[i + 1]) + KNOWN > now and call('ZCARD', p.ends) < MOST_KEPT then return end
    drop_approval(p, over[i])
  end
  if call('ZCARD', p.ends) < MOST_KEPT then return end
  local kept = call('ZRANGE', p.ends, 0, -1)
  for i = 1, #kept do
    if approval_of(p, kept[i])[2] == 4 then return drop_approval(p, kept[i]) end
  end
end
local function ask_approval(p, binding, id, most, named, expires, now, all)
  local at = named ~= '' and p.own and call('HGET', p.key, 'i' .. named)
  if at and at ~= binding then
    for i = 1, #all do
      if all[i][2] == at then at = nil break end
    end
  end
  if at then
    if at ~= binding then return 'out_of_scope,,-1' end
    local r = approval_of(p, at)
    if r[2] == 4 then return 'approval_consumed,,-1' end
    if over_at(r) <= now then return 'approval_expired,,-1' end
  end
  local r = approval_of(p, binding)
  if r and r[3] > now and (r[2] == 1 or r[2] == 3) then
    return (r[2] == 1 and 'approval_pending,' or 'approval_denied,') .. r[1] .. ',' .. whole(r[3])
  end
  forget_approvals(p, now)
  if p.own and (call('ZCOUNT', p.open, '(' .. whole(now), '+inf') >= most
    or call('ZCARD', p.ends) >= MOST_KEPT and not approval_of(p, binding)) or most < 1 then
    return 'too_many_pending,,-1'
  end
  put_approval(p, binding, {id, 1, expires, 0, false}, now)
  return 'approval_pending,' .. id .. ',' .. whole(expires)
end
local function use_approval(p, binding, r, now)
  if r[5] then return end
  r[2] = 4
  put_approval(p, binding, r, now)
end
local function give_back_approvals(agent, now, used)
  if not used or #used == 0 then return end
  local p = approvals_of(agent)
  for i = 1, #used, 2 do
    local r = approval_of(p, used[i])
    if r and r[1] == used[i + 1] and r[2] == 4 then
      r[2] = 2
      put_approval(p, used[i], r, now)
    end
  end
end
local function keep_used(agent, now, used)
  if not used or #used == 0 then return end
  local p = approvals_of(agent)
  for i = 1, #used, 2 do
    local r = approval_of(p, used[i])
    if r and r[1] == used[i + 1] and r[2] == 2 then use_approval(p, used[i], r, now) end
  end
end
local function decide_approval(p, binding, id, approved, expires, usable, again, now)
  local r = approval_of(p, binding)
  if not r then
    if again and approved and usable > now then put_approval(p, binding, {id, 2, expires, usable, true}, now) end
  elseif r[1] == id and r[2] == 1 then
    put_approval(p, binding, {r[1], approved and 2 or 3, r[3], usable, again}, now)
  end
end
local function replay_approval(p, binding, id, expires, consumed, now)
  if expires <= now then return end
  local r = approval_of(p, binding)
  if r and r[1] == id then
    if consumed == 1 then
      r[2] = 4
      put_approval(p, binding, r, now)
    end
  elseif not r or r[3] < expires then
    put_approval(p, binding, {id, consumed == 1 and 4 or 1, expires, 0, false}, now)
  end
end
`;

/** Usable approvals of the rules of a trip that find something, by the index of the rule. Part of the check. */
export const FIND_APPROVALS = `
local p, asks, given = nil, {}, {}
if rules and rules[8] then
  p = approvals_of(string.sub(KEYS[3], #name + 3))
  for i = 1, #rules[8][4] do asks[rules[8][4][i][1]] = i end
  for i = 1, #rules[3] do
    local index = rules[3][i][1]
    local ask = asks[index]
    if ask and rule_finds(rules[3][i]) then
      local r = approval_of(p, rules[8][4][ask][2])
      if r and r[2] == 2 and r[4] > now then given[index] = r end
    end
  end
end
`;

/** Asks for the approval that a denial needs, or uses those that were found. Part of the check. */
export const USE_APPROVALS = `
  if p then
    local asked, done, used, before = '', {}, {}, {}
    local earlier = old and old[20] and old[20][4] or {}
    for i = 1, #earlier, 2 do before[earlier[i]] = earlier[i + 1] end
    if not allowed and found == 4 and asks[counted] then
      local ask = rules[8][4][asks[counted]]
      asked = ask_approval(p, ask[2], rules[8][1], rules[8][2], rules[8][3], now + ask[3], now, rules[8][4])
    end
    for i = 1, #rules[8][4] do
      local ask = rules[8][4][i]
      local r = given[ask[1]]
      if r then
        done[#done + 1] = whole(i - 1) .. ',' .. r[1] .. ',' .. whole(r[3]) .. ',' .. (r[5] and '1' or before[ask[2]] == r[1] and '2' or '0')
        if allowed then
          use_approval(p, ask[2], r, now)
          if not r[5] then used[#used + 1], used[#used + 2] = ask[2], r[1] end
        end
      end
    end
    flags[4], flags[5], counts[4] = asked, table.concat(done, '|'), used
  end
`;

/**
 * `Counters.decideApproval`. KEYS: state. ARGV from 4: agent id, binding, id, approved, time of expiry, time until which
 * it is usable, it may be used again.
 */
export const decideScript = (start: string): string => `${start}${APPROVALS}
local again = ARGV[10] == '1'
decide_approval(
  approvals_of(ARGV[4]), ARGV[5], ARGV[6], ARGV[7] == '1', tonumber(ARGV[8]), tonumber(ARGV[9]), again, clock()
)
return {1}
`;
