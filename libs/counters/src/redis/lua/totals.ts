/**
 * Totals of accounts and agents. Hash of an account: `v` version; `e` the generation of the rest, `p` month, `n`
 * actions in it, `t` actions ever. Hash of an agent: `v` version, `f` newest freeze, `u` newest unfreeze; `e` the
 * generation of the rest, `d` and `x` day and spending in it, `m` and `y` month likewise, `q` expiry of the list of its
 * rate, `o` order of the newest check that was judged with balances. `b` are the credits of both, packed:
 * 1 generation, 2 and 3 day and micro-dollars, 4 and 5 month likewise. Counts of another generation are void; versions
 * and freezes belong to none. Days are numbered from 1970, months from year 0. The list of a rate holds times in
 * ascending order.
 */
function totals(withOrder: boolean): string {
  const only = (lua: string) => (withOrder ? lua : '');
  const plain = (lua: string) => (withOrder ? '' : lua);
  return `
local function account_of(key)
  local a = call('HMGET', key, 'v', 'e', 'p', 'n', 't')
  local own = a[2] == gen
  return {
    v = tonumber(a[1]) or -1,
    p = own and tonumber(a[3]) or 0, n = own and tonumber(a[4]) or 0, t = own and tonumber(a[5]) or 0
  }
end
local function put_account(key, a)
  call('HSET', key, 'e', gen, 'p', whole(a.p), 'n', whole(a.n), 't', whole(a.t))
end
local function count_action(a, month)
  if a.p < month then a.p, a.n = month, 0 end
  if a.p == month then a.n = a.n + 1 end
  a.t = a.t + 1
end
local function back_of(packed)
  if not packed then return nil end
  local b = cmsgpack.unpack(packed)
  return b[1] == gen and b or nil
end
local function agent_of(key)
  local h = call('HMGET', key, 'v', 'f', 'u', 'e', 'd', 'x', 'm', 'y', 'q', 'b'${only(", 'o'")})
  local own = h[4] == gen
  return {
    v = tonumber(h[1]) or -1, f = tonumber(h[2]) or 0, u = tonumber(h[3]) or 0, own = own,
    d = own and tonumber(h[5]) or 0, x = own and tonumber(h[6]) or 0,
    m = own and tonumber(h[7]) or 0, y = own and tonumber(h[8]) or 0, q = own and tonumber(h[9]) or 0,
    b = own and back_of(h[10]) or nil${only(`,
    o = own and tonumber(h[11]) or 0`)}
  }
end
local function put_agent(key, rate_key, g)
  if not g.own then
    call('DEL', rate_key)
    ${plain("call('HDEL', key, 'o')")}
    g.own = true
  end
  call('HSET', key, 'e', gen, 'd', whole(g.d), 'x', whole(g.x), 'm', whole(g.m), 'y', whole(g.y), 'q', whole(g.q)${only(", 'o', whole(g.o)")})
end
${only(`local function put_order(key, rate_key, g)
  if not g.own then return put_agent(key, rate_key, g) end
  call('HSET', key, 'o', whole(g.o))
end`)}
local function saturate(sum, micros) return micros >= MOST - sum and MOST or sum + micros end
local function reduce(sum, micros) return sum == MOST and sum or max(0, sum - micros) end
local function day_back(g) return g.b and g.b[2] == g.d and g.b[3] or 0 end
local function month_back(g) return g.b and g.b[4] == g.m and g.b[5] or 0 end
local function spent_in_day(g, day) return g.d >= day and reduce(g.x, day_back(g)) or 0 end
local function spent_in_month(g, month) return g.m >= month and reduce(g.y, month_back(g)) or 0 end
local function give_back(key, g, day, of_day, month, of_month)
  local x, y = day_back(g), month_back(g)
  if g.d == day then x = max(x, of_day) end
  if g.m == month then y = max(y, of_month) end
  if x > 0 or y > 0 then call('HSET', key, 'b', cmsgpack.pack({gen, g.d, x, g.m, y})) end
end
local function spend(g, micros, day, month)
  if g.d < day then g.d, g.x = day, 0 end
  if g.m < month then g.m, g.y = month, 0 end
  if g.d == day then g.x = saturate(g.x, micros) end
  if g.m == month then g.y = saturate(g.y, micros) end
end
local function trim(key, edge)
  local n = call('LLEN', key)
  if n == 0 or tonumber(call('LINDEX', key, 0)) > edge then return n end
  if tonumber(call('LINDEX', key, -1)) <= edge then
    call('DEL', key)
    return 0
  end
  local low, step, high = 0, 1, n - 1
  while low + step < high and tonumber(call('LINDEX', key, low + step)) <= edge do low, step = low + step, step * 2 end
  high = math.min(high, low + step)
  while high - low > 1 do
    local middle = floor((low + high) / 2)
    if tonumber(call('LINDEX', key, middle)) <= edge then low = middle else high = middle end
  end
  call('LTRIM', key, high, -1)
  return n - high
end
local function push(key, n, time)
  if n >= 100000 then call('LPOP', key) end
  local later = {}
  local last = call('LINDEX', key, -1)
  while last and tonumber(last) > time do
    later[#later + 1] = call('RPOP', key)
    last = call('LINDEX', key, -1)
  end
  call('RPUSH', key, whole(time))
  for i = #later, 1, -1 do call('RPUSH', key, later[i]) end
end
local function uncount(account_key, agent_key, rate_key, at, micros, acted, rated)
  local day = floor(at / DAY)
  local month = month_of(day)
  if acted then
    local a = account_of(account_key)
    if a.p == month then a.n = max(0, a.n - 1) end
    a.t = max(0, a.t - 1)
    put_account(account_key, a)
  end
  local g = agent_of(agent_key)
  if not g.own then return end
  if micros > 0 then
    if g.d == day then g.x = reduce(g.x, micros) end
    if g.m == month then g.y = reduce(g.y, micros) end
    put_agent(agent_key, rate_key, g)
  end
  if rated then call('LREM', rate_key, -1, whole(at)) end
end
`;
}

export const TOTALS = totals(false);
/** For scripts that read and write the order; `put_order` writes it alone. */
export const TOTALS_WITH_ORDER = totals(true);
