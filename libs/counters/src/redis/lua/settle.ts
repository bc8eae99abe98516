import { APPROVALS, decideScript } from './approvals.js';
import { CLAIMS } from './claims.js';
import { PRELUDE, SAME_RUN, SERVING } from './prelude.js';
import { RULES } from './rules.js';
import { TOTALS, TOTALS_WITH_ORDER } from './totals.js';

/**
 * `Counters.answered`. KEYS: state, claim. ARGV from 4: the answer is to be kept, entropy or empty, answer, account id,
 * short hash of the key, whether it allows.
 */
export const ANSWERED = `${PRELUDE}${SAME_RUN}${CLAIMS}
local now = clock()
local c = claim_of(KEYS[2], now)
if not c or c[4] then return {1} end
if ARGV[5] ~= '' and c[9] ~= ARGV[5] then return {1} end
if ARGV[4] ~= '1' then
  release(KEYS[2], c, ARGV[7], ARGV[8], now)
  return {1}
end
list_answered(ARGV[7], ARGV[8], c[3])
local allowed_by = ARGV[9] == '1' and (c[19] or -1) or 0
call('SET', KEYS[2], cmsgpack.pack({c[1], c[2], c[3], ARGV[6], allowed_by}), 'KEEPTTL')
return {1}
`;

/**
 * `Counters.takeBack`. KEYS: state, account, agent, rate, and with an idempotency key claim. ARGV from 4: time, cost,
 * counts an action, counts towards the rate, entropy, account id and short hash of the key or empty; with the
 * balances of the judgement as JSON its order, fields of facts, field, units and nanos of each limit, and binding and id of
 * each approval that it used up.
 * Judgements from before the counts started from zero are not in them.
 */
export const TAKE_BACK = `${PRELUDE}${SAME_RUN}${TOTALS_WITH_ORDER}${CLAIMS}${RULES}${APPROVALS}
local at = tonumber(ARGV[4])
if at <= (tonumber(st[6]) or -1) then return {1} end
if KEYS[5] then
  local now = clock()
  local c = claim_of(KEYS[5], now)
  if not c or c[4] or c[9] ~= ARGV[8] then return {1} end
  c[10] = c[10] - 1
  if c[10] > 0 then
    call('SET', KEYS[5], cmsgpack.pack(c), 'KEEPTTL')
    return {1}
  end
  release(KEYS[5], c, ARGV[9], ARGV[10], now)
end
uncount(KEYS[2], KEYS[3], KEYS[4], at, tonumber(ARGV[5]), ARGV[6] == '1', ARGV[7] == '1')
if ARGV[11] then
  local counted, g = cjson.decode(ARGV[11]), agent_of(KEYS[3])
  uncount_rules(string.sub(KEYS[3], #name + 3), at, clock(), counted)
  give_back_approvals(string.sub(KEYS[3], #name + 3), clock(), counted[4])
  if g.own and g.o == counted[1] then
    g.o = g.o - 1
    put_order(KEYS[3], KEYS[4], g)
  end
end
return {1}
`;

/** `Counters.giveBack`. KEYS: state, agent. ARGV from 4: day and micro-dollars, month and micro-dollars. */
export const GIVE_BACK = `${PRELUDE}${SERVING}${TOTALS}
local g = agent_of(KEYS[2])
if g.own then give_back(KEYS[2], g, tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])) end
return {1}
`;

/**
 * `Counters.giveBackHeld`. KEYS: state. ARGV from 4: agent id, and as JSON of each amount the field of its limit, time,
 * order, units and nanos.
 */
export const GIVE_BACK_HELD = `${PRELUDE}${SERVING}${CLAIMS}${RULES}
give_back_held(ARGV[4], clock(), cjson.decode(ARGV[5]))
return {1}
`;

export const DECIDE_APPROVAL = decideScript(`${PRELUDE}${SERVING}${CLAIMS}`);
