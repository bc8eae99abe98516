import { FIND_APPROVALS, USE_APPROVALS } from './approvals.js';

/**
 * Gives the check its order, and reads its balances into `balance_text`, as numbers with commas: order, spending of day
 * and month, checks in the rate window (-1: no limit), actions of the plan.
 * @param asked Lua: balances are asked for
 */
export function readBalances(asked: string): string {
  return `
local balances = ${asked}
if balances then g.o = g.o + 1 end
local window = ARGV[13] ~= '' and tonumber(ARGV[14]) * 1000
if window and g.own then held = trim(KEYS[5], now - window) end
local balance_text = balances and string.format(
  '%.0f,%.0f,%.0f,%.0f,%.0f', g.o, spent_in_day(g, day), spent_in_month(g, month), window and held or -1,
  ARGV[16] == '1' and a.t or a.p >= month and a.n or 0
) or ''
`;
}

/**
 * The part of the check for trips with rules. The argument is empty with balances alone, and `-` with neither, where the
 * claim was judged with rules. `rules` is the decoded argument: 1 fields of the facts and
 * then of the limits, 2 number of facts, 3 conditional rules by rank: index, observed, truth, numbers of its facts from
 * 1; 4 settings: number of the fact, lifetime in ms, also of a denied check; 5 limits: window in ms, units and nanos of
 * the maximum, units and nanos of the amount, observed; 6 bounds: of an agent, of all, of a window, of amounts; 7 pairs
 * of facts, of which the first counts as set also where the second is; 8 with rules that approvals satisfy: id of one
 * that is opened, most open ones, id that the caller names or empty, and for each such rule its index, its binding and
 * the time in ms in which its approval expires.
 *
 * Balances are returned as numbers with commas: those of `readBalances`, and with rules units and nanos of each limit;
 * then, each after a semicolon and with a digit of 0 or 1 for each, the facts that were set, the settings that took
 * effect (2: there was no room, so that facts are unknown), and the limits that were counted. With approvals also, after
 * a semicolon each, code, id and expiry of the one that is asked for, and separated by bars position of the rule in 8,
 * id, expiry, and whether it may be used again (2: no, and the judgement that this one replaces used it), of those that
 * were found.
 */
export const READ_RULES = `
local rules = balances and ARGV[18] ~= '' and cjson.decode(ARGV[18]) or nil
local seen, flags = {balance_text}, {'', '', ''}
local k, set, fits_limit, facts_fit, over, over_watched = nil, {}, {}, true, nil, nil
if rules then
  local fields, facts, limits, bounds = rules[1], rules[2], rules[5], rules[6]
  k = kept_of(string.sub(KEYS[3], #name + 3), fields)
  for i = 1, #limits do trim_window(k, fields[facts + i], now - limits[i][1]) end
  local held = {}
  for i = 1, facts do
    set[i] = is_set(k.v[fields[i]], now)
  end
  for i = 1, #rules[7] do
    if set[rules[7][i][2]] then set[rules[7][i][1]] = true end
  end
  for i = 1, facts do held[i] = set[i] and '1' or '0' end
  flags[1] = table.concat(held)
  for i = 1, #limits do
    local w = k.v[fields[facts + i]]
    seen[#seen + 1], seen[#seen + 2] = w and whole(w[2]) or '0', w and whole(w[3]) or '0'
  end
  local function counted_amount(i) return limits[i][4] > 0 or limits[i][5] > 0 end
  local function new_facts()
    local n = 0
    for i = 1, #rules[4] do
      if not k.v[fields[rules[4][i][1]]] then n = n + 1 end
    end
    return n
  end
  local function new_windows()
    local n = 0
    for i = 1, #limits do
      if counted_amount(i) and not k.v[fields[facts + i]] then n = n + 1 end
    end
    return n
  end
  local wanted = new_facts() + new_windows()
  local function room()
    local all = wanted > 0 and bounds[2] - (tonumber(call('HGET', figures, 'kept')) or 0) or bounds[2]
    return math.min(bounds[1] - k.n, all - (k.n - (k.before or 0)))
  end
  local keys = room()
  if keys < wanted or bounds[4] - k.amounts < #limits then
    forget_kept(k, now)
    wanted = new_facts() + new_windows()
    keys = room()
    if keys < wanted then
      reclaim(k.agent, now)
      keys = room()
    end
  end
  local amounts, new = bounds[4] - k.amounts, new_facts()
  facts_fit = new <= max(0, keys)
  if facts_fit then keys = keys - new end
  for i = 1, #limits do
    if counted_amount(i) then
      local limit, w = limits[i], k.v[fields[facts + i]]
      local full = w and w[4] >= bounds[3] or not w and keys < 1 or amounts < 1
      if not full then
        fits_limit[i], amounts = true, amounts - 1
        if not w then keys = keys - 1 end
      end
      local u, n = (w and w[2] or 0) + limit[4], (w and w[3] or 0) + limit[5]
      if n >= UNIT then u, n = u + 1, n - UNIT end
      if full or u > limit[2] or u == limit[2] and n > limit[3] then
        if limit[6] == 1 then over_watched = over_watched or i else over = over or i end
      end
    end
  end
end
local function rule_finds(rule)
  local assignment = 0
  for j = 4, #rule do
    if set[rule[j]] then assignment = assignment + 2 ^ (j - 4) end
  end
  return floor(rule[3] / 2 ^ assignment) % 2 == 1
end
${FIND_APPROVALS}
local function rule_found(observed)
  for i = 1, rules and #rules[3] or 0 do
    local rule = rules[3][i]
    if rule[2] == observed and not given[rule[1]] and rule_finds(rule) then return rule[1] end
  end
  return nil
end
local function limit_found(i)
  local w = k.v[rules[1][rules[2] + i]]
  found, counted, fits = 5, i - 1, w and w[5] or -1
end
`;

/** After the static violation: a rule that denies. */
export const FIND_RULE = `
  if found == 0 then
    local index = rule_found(0)
    if index then found, counted = 4, index end
  end
`;

/** After spending and rate: limits and room; then what is found in observe mode. `denies` is set before the latter. */
export const FIND_LIMIT = `
  if found == 0 and over then limit_found(over) end
  if found == 0 and rules and (not facts_fit or rules[2] > 0 and k.unknown > now) then found = 6 end
  local denies = found ~= 0
  if not denies then
    local index = rule_found(1)
    if index then found, counted = 4, index elseif over_watched then limit_found(over_watched) end
  end
`;

/** Sets facts, counts amounts and uses approvals of a check that is allowed or denied. */
export const COUNT_RULES = `
  if rules then
    local fields, facts, done = rules[1], rules[2], {}
    for i = 1, #rules[4] do
      local setting = rules[4][i]
      local field = fields[setting[1]]
      done[i] = '0'
      if allowed or setting[3] == 1 then
        if facts_fit or k.v[field] then
          set_fact(k, field, g.o, now, setting[2])
          done[i] = '1'
          counts[2][#counts[2] + 1] = field
        else
          set_fact(k, ' @unknown', g.o, now, setting[2])
          done[i] = '2'
        end
      end
    end
    flags[2], done = table.concat(done), {}
    for i = 1, #rules[5] do
      local limit, field = rules[5][i], fields[facts + i]
      done[i] = '0'
      if allowed and fits_limit[i] then
        count_amount(k, field, now, g.o, limit[4], limit[5], limit[1])
        done[i] = '1'
        local n = #counts[3]
        counts[3][n + 1], counts[3][n + 2], counts[3][n + 3] = field, limit[4], limit[5]
      end
    end
    flags[3] = table.concat(done)
  end
${USE_APPROVALS}`;
