import { APPROVALS } from './approvals.js';
import { CLAIMS } from './claims.js';
import { PRELUDE } from './prelude.js';
import { RULES } from './rules.js';
import { TOTALS_WITH_ORDER } from './totals.js';

/**
 * Takes the lease of a rebuild. KEYS: state, lease. ARGV from 4: token, ms that the lease lasts, start from zero, new
 * generation. Held by another: 2. From zero although they serve this run: 3. A new generation invalidates all earlier
 * totals and claims; its time begins a millisecond later, so that earlier judgements can be distinguished from later
 * ones.
 */
export const BEGIN = `${PRELUDE}
if ARGV[6] == '1' and st[1] == ARGV[1] and st[2] == '1' then return {3} end
local holder = call('GET', KEYS[2])
if holder and holder ~= ARGV[4] then return {2} end
call('SET', KEYS[2], ARGV[4], 'PX', ARGV[5])
if ARGV[6] == '1' or not gen then
  local now = clock()
  -- The clock of a test may be stopped: then times do not distinguish generations.
  local name = string.sub(KEYS[1], 1, -6)
  if gen then
    call('DEL', name .. 'claims:' .. gen, name .. 'sizes:' .. gen, name .. 'kept:' .. gen, name .. 'ends:' .. gen)
  end
  call('HSET', KEYS[1], 'gen', ARGV[7], 'since', whole(ARGV[3] == '' and now or now - 1))
  if ARGV[3] == '' then keep_time(now + 1) end
end
call('HSET', KEYS[1], 'run', ARGV[1], 'serving', '0')
return {1}
`;

/** Only for the holder of the lease, in the run in which it began; extends the lease. */
const HELD_LEASE = `${PRELUDE}
if st[1] ~= ARGV[1] or call('GET', KEYS[2]) ~= ARGV[4] then return {2} end
call('PEXPIRE', KEYS[2], ARGV[5])
`;

const PUT_BACK = `${HELD_LEASE}${TOTALS_WITH_ORDER}${CLAIMS}${RULES}${APPROVALS}
local now = clock()
local function not_before(ms)
  if ARGV[3] == '' and ms > now and ms <= wall + DAY then
    keep_time(ms)
    now = ms
  end
end
local function put_answered(account, key, body, at, answer, allowed_by)
  local claim_key = name .. 'c:' .. account .. ':' .. key
  if now - at >= CLAIM then return end
  local known = claim_of(claim_key, now)
  if known and known[4] and known[3] >= at then return end
  if known then
    unlist(account, key)
  elseif bound_without_room(account, now, tonumber(ARGV[7]), tonumber(ARGV[8])) then
    return
  end
  list(account, key, at, false)
  put_claim(claim_key, {gen, body, at, answer, allowed_by}, now)
end
local UNKNOWN_WINDOW = '2678400000'
local rows = cjson.decode(ARGV[6])
`;

/**
 * Facts of a snapshot. KEYS: state, lease. ARGV from 4: token, ms that the lease lasts, rows as JSON, most claims of
 * all and of an account. Rows: `["a", account, month, in month, ever]`, `["g", agent, day, micros, month, micros,
 * frozen, unfrozen at, credited micros of the day, of the month, order]`, `["r", agent, times]`, `["f", agent, field of
 * a fact, order, expiry]`, `["p", agent, binding, id of an approval, expiry, used up]`, `["d", agent, binding, id, approved, expiry, usable until, usable again]`, `["l", agent, field of a limit, window in ms, [time, order, units, nanos, …]]`, `["c",
 * account, key, body, time, answer, allowed by]`, `["v", key, version]`.
 */
export const RESTORE = `${PUT_BACK}
for i = 1, #rows do
  local row = rows[i]
  if row[1] == 'g' then not_before(row[8]) end
  if row[1] == 'c' then not_before(row[5]) end
end
for i = 1, #rows do
  local row = rows[i]
  local kind = row[1]
  if kind == 'a' then
    put_account(name .. 'a:' .. row[2], {p = row[3], n = row[4], t = row[5]})
  elseif kind == 'g' then
    local key, rate_key = name .. 'g:' .. row[2], name .. 'r:' .. row[2]
    local g = agent_of(key)
    g.d, g.x, g.m, g.y, g.q = row[3], row[4], row[5], row[6], 0
    g.o = row[11]
    call('DEL', rate_key)
    drop_kept(row[2])
    drop_approvals(row[2])
    put_agent(key, rate_key, g)
    call('HDEL', key, 'b')
    g.b = nil
    give_back(key, g, g.d, row[9], g.m, row[10])
    if row[7] == 1 and row[8] + 1 > g.f then call('HSET', key, 'f', whole(row[8] + 1)) end
    if row[8] > g.u then call('HSET', key, 'u', whole(row[8])) end
  elseif kind == 'r' then
    local times = {}
    for j = 1, #row[3] do times[j] = whole(row[3][j]) end
    call('RPUSH', name .. 'r:' .. row[2], unpack(times))
    call('PEXPIRE', name .. 'r:' .. row[2], UNKNOWN_WINDOW)
  elseif kind == 'f' then
    if row[5] > now then
      local k = kept_of(row[2], {row[3]})
      set_fact(k, row[3], row[4], now, row[5] - now)
      put_kept(k, now)
    end
  elseif kind == 'l' then
    local k, amounts = kept_of(row[2], {row[3]}), row[5]
    for j = 1, #amounts, 4 do
      if now - amounts[j] < row[4] then
        count_amount(k, row[3], amounts[j], amounts[j + 1], amounts[j + 2], amounts[j + 3], row[4])
      end
    end
    put_kept(k, now)
  elseif kind == 'p' then
    replay_approval(approvals_of(row[2]), row[3], row[4], row[5], row[6], now)
  elseif kind == 'd' then
    decide_approval(approvals_of(row[2]), row[3], row[4], row[5], row[6], row[7], row[8], now)
  elseif kind == 'c' then
    put_answered(row[2], row[3], row[4], row[5], row[6], row[7])
  else
    local key = name .. row[2]
    if row[3] > (tonumber(call('HGET', key, 'v')) or -1) then call('HSET', key, 'v', whole(row[3])) end
    if row[4] then call('PEXPIRE', key, whole(row[4])) end
  end
end
return {1}
`;

/**
 * Events of the log's tail, each counted as its check was. KEYS and ARGV as of `RESTORE`, rows: `[account, agent, time,
 * counts an action, cost, counts towards the rate, freezes, key, body, answer, allowed by, order, facts, limits, given
 * back, approvals]`, the last five only of an event with order or with amounts that are given back, the four before then `false`
 * without an idempotency key. Facts: field and expiry of each; limits: field, window in ms, units and nanos of each; given
 * back: as of `GIVE_BACK_HELD`; approvals: as of a snapshot, each from its binding on.
 */
export const REPLAY = `${PUT_BACK}
local function replay_rules(row, key, rate_key)
  local agent, at, order, facts, limits = row[2], row[3], row[12], row[13], row[14]
  local g = agent_of(key)
  if order > g.o then
    g.o = order
    put_order(key, rate_key, g)
  end
  give_back_held(agent, now, row[15])
  local approvals = row[16]
  if #approvals > 0 then
    local p = approvals_of(agent)
    for i = 1, #approvals, 4 do
      replay_approval(p, approvals[i], approvals[i + 1], approvals[i + 2], approvals[i + 3], now)
    end
  end
  local fields = {}
  for i = 1, #facts, 2 do fields[#fields + 1] = facts[i] end
  for i = 1, #limits, 4 do fields[#fields + 1] = limits[i] end
  if #fields == 0 then return end
  local k = kept_of(agent, fields)
  for i = 1, #facts, 2 do
    if facts[i + 1] > now then set_fact(k, facts[i], order, at, facts[i + 1] - at) end
  end
  for i = 1, #limits, 4 do
    if now - at < limits[i + 1] then
      count_amount(k, limits[i], at, order, limits[i + 2], limits[i + 3], limits[i + 1])
    end
  end
  put_kept(k, now)
end
for i = 1, #rows do
  local row = rows[i]
  local at = row[3]
  not_before(at)
  local day = floor(at / DAY)
  local month = month_of(day)
  if row[4] == 1 then
    local key = name .. 'a:' .. row[1]
    local a = account_of(key)
    count_action(a, month)
    put_account(key, a)
  end
  local key, rate_key = name .. 'g:' .. row[2], name .. 'r:' .. row[2]
  if row[5] > 0 or row[6] == 1 then
    local g = agent_of(key)
    if row[5] > 0 then spend(g, row[5], day, month) end
    put_agent(key, rate_key, g)
    if row[6] == 1 then
      push(rate_key, call('LLEN', rate_key), at)
      call('PEXPIRE', rate_key, UNKNOWN_WINDOW)
    end
  end
  if row[7] == 1 then
    local h = call('HMGET', key, 'f', 'u')
    if at > (tonumber(h[2]) or 0) and at > (tonumber(h[1]) or 0) then call('HSET', key, 'f', whole(at)) end
  end
  if row[12] then replay_rules(row, key, rate_key) end
  if row[8] then put_answered(row[1], row[8], row[9], at, row[10], row[11]) end
end
return {1}
`;

/** Ends the rebuild. KEYS: state, lease. ARGV from 4: token, ms that the lease lasts. */
export const SERVE = `${HELD_LEASE}
if st[2] ~= '1' then call('HSET', KEYS[1], 'served', whole(clock())) end
call('HSET', KEYS[1], 'serving', '1')
call('DEL', KEYS[2])
return {1}
`;

/** Releases the lease, for another gateway to start from zero. */
export const GIVE_UP = `${PRELUDE}
if call('GET', KEYS[2]) == ARGV[4] then call('DEL', KEYS[2]) end
return {1}
`;
