import { CLAIMS } from './claims.js';
import { PRELUDE, SERVING } from './prelude.js';
import { RULES } from './rules.js';
import { TOTALS } from './totals.js';

/** Checks that the counters serve. KEYS: state. */
export const LOOK = `${PRELUDE}${SERVING}
return {1}
`;

/** `Counters.now`. KEYS: state. */
export const NOW = `${PRELUDE}
return {1, clock()}
`;

/**
 * `Counters.raise`. KEYS: state, the hash with the version. ARGV from 4: version, and where it expires its time to
 * live, ms.
 */
export const RAISE = `${PRELUDE}
local version = tonumber(ARGV[4])
if version > (tonumber(call('HGET', KEYS[2], 'v')) or -1) then call('HSET', KEYS[2], 'v', whole(version)) end
if ARGV[5] then call('PEXPIRE', KEYS[2], ARGV[5]) end
return {1}
`;

/** `Counters.version`. KEYS: state, the hash with the version. */
export const VERSION = `${PRELUDE}${SERVING}
return {1, call('HGET', KEYS[2], 'v')}
`;

/** `Counters.freeze`. KEYS: state, agent. ARGV from 4: time. Newest freeze and newest unfreeze only increase. */
export const FREEZE = `${PRELUDE}
local h = call('HMGET', KEYS[2], 'f', 'u')
local at = tonumber(ARGV[4])
if at > (tonumber(h[2]) or 0) and at > (tonumber(h[1]) or 0) then call('HSET', KEYS[2], 'f', whole(at)) end
return {1}
`;

/** `Counters.unfreeze`. KEYS: state, agent. */
export const UNFREEZE = `${PRELUDE}
local h = call('HMGET', KEYS[2], 'f', 'u')
local at = max(clock(), tonumber(h[1]) or 0, tonumber(h[2]) or 0)
call('HSET', KEYS[2], 'u', whole(at))
return {1, at}
`;

/** `Counters.isFrozen`. KEYS: state, agent. */
export const IS_FROZEN = `${PRELUDE}${SERVING}
local h = call('HMGET', KEYS[2], 'f', 'u')
return {1, (tonumber(h[1]) or 0) > (tonumber(h[2]) or 0) and 1 or 0}
`;

/**
 * `Counters.useOnce`. KEYS: state, the name. ARGV from 4: who uses it or empty, when it was made (ms), ms to keep it.
 * Replies 1 first, 2 same, 3 used, 4 unknown.
 */
export const USE_ONCE = `${PRELUDE}${SERVING}
local by = call('GET', KEYS[2])
if by then return {1, by ~= '' and by == ARGV[4] and 2 or 3} end
if tonumber(ARGV[5]) < (tonumber(call('HGET', KEYS[1], 'served')) or 0) then return {1, 4} end
call('SET', KEYS[2], ARGV[4], 'PX', ARGV[6])
return {1, 1}
`;

/** `Counters.usage`. KEYS: state, account. */
export const USAGE = `${PRELUDE}${SERVING}${TOTALS}
local a = account_of(KEYS[2])
local month = month_of(floor(clock() / DAY))
return {1, a.p >= month and a.n or 0, a.t, max(a.p, month)}
`;

/** `Counters.answerOf`. KEYS: state, claim. */
export const ANSWER_OF = `${PRELUDE}${SERVING}${CLAIMS}
local c = claim_of(KEYS[2], clock())
return {1, c and c[4] or false}
`;

/** `Counters.claims`. KEYS: state. */
export const CLAIM_FIGURES = `${PRELUDE}${SERVING}${CLAIMS}
local h = call('HMGET', figures, 'all', 'open', 'evicted')
return {1, tonumber(h[1]) or 0, tonumber(h[2]) or 0, tonumber(h[3]) or 0}
`;

/**
 * `Counters.agentUsage`. KEYS: state, agent, rate. ARGV from 4: most and seconds of a rate limit, or nothing. Changes
 * nothing: times outside a narrower window stay.
 */
export const AGENT_USAGE = `${PRELUDE}${SERVING}${TOTALS}
local now = clock()
local g = agent_of(KEYS[2])
local day = floor(now / DAY)
local held, blocked = 0, -1
if ARGV[4] and g.own then
  local most, edge = tonumber(ARGV[4]), now - tonumber(ARGV[5]) * 1000
  local n = call('LLEN', KEYS[3])
  local low, high = 0, n
  while low < high do
    local middle = floor((low + high) / 2)
    if tonumber(call('LINDEX', KEYS[3], middle)) <= edge then low = middle + 1 else high = middle end
  end
  held = n - low
  if most > 0 and held >= most then blocked = tonumber(call('LINDEX', KEYS[3], n - most)) end
end
return {
  1, whole(now), g.f > g.u and 1 or 0, whole(spent_in_day(g, day)), whole(spent_in_month(g, month_of(day))),
  held, whole(blocked)
}
`;

/**
 * `Counters.ruleBalances`. KEYS: state. ARGV from 4: agent, and as JSON the fields of the facts and then of the limits,
 * the length of each window in ms, and the most amounts outside of the windows that are read. Replies until when facts are unknown, until when each fact is set, and of each
 * limit units and nanos of its balance and the time of its oldest amount; 0: not; units of -1: the
 * balance was not read. Changes nothing: amounts outside a
 * narrower window stay.
 */
export const RULE_BALANCES = `${PRELUDE}${SERVING}${CLAIMS}${RULES}
local now = clock()
local asked = cjson.decode(ARGV[5])
local fields, windows, left = asked[1], asked[2], asked[3]
local k, facts = kept_of(ARGV[4], fields), #fields - #windows
local reply = {1, whole(k.unknown > now and k.unknown or 0)}
for i = 1, facts do
  local fact, last = k.v[fields[i]], 0
  if fact then
    last = fact[2]
    for j = 4, #fact, 2 do last = max(last, fact[j]) end
  end
  reply[#reply + 1] = whole(last > now and last or 0)
end
for i = 1, #windows do
  local field, edge = fields[facts + i], now - windows[i]
  local w = k.v[field] or {0, 0, 0, 0, -1, -1}
  local from = 0
  if w[6] <= edge then w[2], w[3], w[4] = 0, 0, 0 end
  while left > 0 and w[4] > 0 and w[5] <= edge do
    local page = call('LRANGE', list_key(k, field), from, from + 99)
    if #page == 0 then w[2], w[3], w[4] = 0, 0, 0 end
    for j = 1, #page do
      local at, u, n = read_amount(page[j])
      w[5] = at
      if at > edge then break end
      subtract(w, u, n)
    end
    from, left = from + 100, left - 100
  end
  if w[4] > 0 and w[5] <= edge then w[2], w[3], w[4] = -1, 0, 0 end
  local n = #reply
  reply[n + 1], reply[n + 2], reply[n + 3] = whole(w[2]), whole(w[3]), whole(w[4] > 0 and w[5] or 0)
end
return reply
`;
