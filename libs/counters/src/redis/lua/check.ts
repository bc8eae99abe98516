import { APPROVALS } from './approvals.js';
import { CLAIMS } from './claims.js';
import { COUNT_RULES, FIND_LIMIT, FIND_RULE, readBalances, READ_RULES } from './check-rules.js';
import { PRELUDE, SERVING } from './prelude.js';
import { RECLAIM, RULES } from './rules.js';
import { TOTALS, TOTALS_WITH_ORDER } from './totals.js';

/**
 * The one trip of a check: exactly `Counters.check`. KEYS: state, account, agent, API key, rate, and with an
 * idempotency key claim. ARGV from 4: account version, key version, agent version, frozen, observe, static violation,
 * cost, limit, window, rate max, rate seconds, cap, sandbox, expiry; with an idempotency key agent id, hash of the
 * body, entropy, facts, most claims of all and of an account, account id, short hash of the key, profile version.
 * Absent ones are empty. Sums are returned as text: the driver reads integers near 2^53 wrongly.
 *
 * `SEEN_CHECK` is the same for trips that want the balances before the check. `RULED_CHECK` is for trips with rules: the
 * rules follow the expiry, and the violations as JSON the profile version. The others return 8 and change nothing where
 * the open claim was judged with more than they read: `RULED_CHECK` judges then.
 */
function check(kind: 'plain' | 'seen' | 'ruled'): string {
  const ruled = kind === 'ruled';
  const first = ruled ? 19 : 18;
  const only = (lua: string) => (ruled ? lua : '');
  const seen = (lua: string) => (kind === 'plain' ? '' : lua);
  const plain = (lua: string) => (kind === 'plain' ? lua : '');
  const [agent, body, entropy, facts, mostAll, mostOwn, account, key, profile, violations] = Array.from(
    { length: 10 },
    (_, index) => `ARGV[${first + index}]`,
  );
  return `${PRELUDE}${SERVING}${kind === 'plain' ? TOTALS : TOTALS_WITH_ORDER}${CLAIMS}${only(RULES + RECLAIM + APPROVALS)}
local account_version, key_version, agent_version = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6])
local keyed = ${agent} ~= nil
local key_raised = tonumber(call('HGET', KEYS[4], 'v')) or -1
local a, g = account_of(KEYS[2]), agent_of(KEYS[3])
local function stale(account, agent)
  return {2, max(a.v, account_version, account), max(key_raised, key_version), max(g.v, agent_version, agent)}
end
if key_raised > key_version then return stale(0, 0) end
local now = clock()
local old, former
if keyed then
  old = claim_of(KEYS[6], now)
  if old then
    if old[2] ~= ${body} then return {6} end
    if old[4] and old[5] == 0 then return {3, old[4]} end
    ${ruled ? '' : `if old[${kind === 'plain' ? 21 : 20}] then return {8} end`}
    if not old[4] and (old[7] > account_version or old[8] > agent_version) then return stale(old[7], old[8]) end
  end
end
if a.v > account_version or g.v > agent_version then
  local open = old and not old[4]
  return stale(open and old[7] or 0, open and old[8] or 0)
end
local frozen = ARGV[7] == '1' or g.f > g.u
local answered = old and old[4] and true or false
if answered then
  if old[5] == tonumber(${profile}) and not frozen and now - old[3] < ALLOW_REPLAY then return {3, old[4]} end
  old, former = nil, old
elseif keyed and not old then
  local most = bound_without_room(${account}, now, tonumber(${mostAll}), tonumber(${mostOwn}))
  if most then return {7, most} end
end
if old then
  if old[7] == account_version and old[8] == agent_version and old[6] == frozen then
    old[10] = old[10] + 1
    put_claim(KEYS[6], old, now)
    return {
      4, old[3], old[14], old[15], whole(old[16]), whole(old[17]), old[18]${seen(", old[21] or '', old[22] or ''")}
    }
  end
  local own = #${agent}
  uncount(
    KEYS[2], string.sub(KEYS[3], 1, -own - 1) .. old[5], string.sub(KEYS[5], 1, -own - 1) .. old[5],
    old[3], old[12], old[11], old[13]
  )
  ${only(`if old[20] then
    uncount_rules(old[5], old[3], now, old[20])
    give_back_approvals(old[5], now, old[20][4])
  end`)}
  a, g = account_of(KEYS[2]), agent_of(KEYS[3])
end
local day = floor(now / DAY)
local month = month_of(day)
local outcome, found, counted, fits, held = 0, 0, 0, -1, 0
${seen(readBalances(ruled ? "ARGV[18] ~= '-'" : 'true'))}${only(READ_RULES)}
if ARGV[17] ~= '' and now >= tonumber(ARGV[17]) then
  outcome = 4
elseif ARGV[15] ~= '' and (ARGV[16] == '1' and a.t or a.p >= month and a.n or 0) >= tonumber(ARGV[15]) then
  outcome = 5
elseif frozen then
  outcome = 3
end
local cost, acted, rated = 0, false, false
${only('local counts = {g.o, {}, {}}')}
${seen('local written = false')}
if outcome == 0 then
  local asked = tonumber(ARGV[10])
  if ARGV[9] == '1' then found = 1 end
  ${only(FIND_RULE)}
  if found == 0 and asked > 0 and ARGV[11] ~= '' then
    local spent = 0
    if ARGV[12] == 'day' then spent = spent_in_day(g, day) end
    if ARGV[12] == 'month' then spent = spent_in_month(g, month) end
    if spent > tonumber(ARGV[11]) - asked then found, counted = 2, spent end
  end
  ${plain(`local window = ARGV[13] ~= '' and tonumber(ARGV[14]) * 1000
  if window and g.own then held = found == 0 and trim(KEYS[5], now - window) or call('LLEN', KEYS[5]) end`)}
  if found == 0 and window then
    local most = tonumber(ARGV[13])
    if held >= most then
      found, counted = 3, held
      if most > 0 then fits = tonumber(call('LINDEX', KEYS[5], held - most)) + window end
    end
  end
  ${only(FIND_LIMIT)}
  local allowed = ${ruled ? 'not denies' : 'found == 0'} or ARGV[8] == '1'
  outcome, acted = allowed and 1 or 2, true
  count_action(a, month)
  put_account(KEYS[2], a)
  if allowed then
    cost, rated = asked, window and true or false
    local expires = rated and (held == 0 or g.q < now + window)
    if expires then g.q = now + 2 * window end
    if cost > 0 then spend(g, cost, day, month) end
    if cost > 0 or expires or rated and not g.own then
      put_agent(KEYS[3], KEYS[5], g)
      ${seen('written = true')}
    end
    if rated then push(KEYS[5], held, now) end
    if expires then call('PEXPIRE', KEYS[5], whole(math.min(1e13, 2 * window + ms_ahead(now) + 60000))) end
  end
  ${only(COUNT_RULES)}
end
${seen('if not written then put_order(KEYS[3], KEYS[5], g) end')}
${only(`if old and old[20] then keep_used(old[5], now, old[20][4]) end
if k then put_kept(k, now) end
balance_text = rules and table.concat(seen, ',') .. ';' .. table.concat(flags, ';') or balance_text`)}
-- A refusal is not replayed: the answer that the key had stays, so that another body is refused as before.
if keyed and (not answered or acted) then
  if answered or old then unlist(${account}, ${key}) end
  list(${account}, ${key}, now, true)
  ${only(`local texts = found > 3 and cjson.decode(${violations}) or {}
  local text = found == 4 and texts[1][counted + 1] or found == 5 and texts[2][counted + 1] or texts[3] or ''`)}
  put_claim(KEYS[6], in_place_of(former or old and old[23], {
    gen, ${body}, now, false, ${agent}, frozen, account_version, agent_version, ${entropy}, 1,
    acted, cost, rated, outcome, found, counted, fits, ${facts}, tonumber(${profile})${only(', counts, balance_text, text')}${kind === 'seen' ? ', false, balance_text' : ''}
  }), now)
end
if old then
  return {
    5, now, outcome, found, whole(counted), whole(fits),
    old[3], old[14], old[15], whole(old[16]), whole(old[17]), old[18]${seen(", old[21] or '', old[22] or '', balance_text")}
  }
end
return {1, now, outcome, found, whole(counted), whole(fits)${seen(', balance_text')}}
`;
}

export const CHECK = check('plain');
export const SEEN_CHECK = check('seen');
export const RULED_CHECK = check('ruled');
