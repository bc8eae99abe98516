import type { Random } from './random.js';

/** Members of a profile that a change of a history sets: the same ones in each, so that nothing remains of the one before. */
const NOTHING = {
  mode: 'enforce',
  spending_limit: null,
  spending_window: 'day',
  rate_limit: null,
  off_limits_actions: [],
  blocked_apis: [],
  blocked_data_scopes: [],
  output_rules: null,
  store_payload: true,
  rules: [],
  facts: [],
  limits: [],
};

const RULES = {
  facts: [
    { id: 'secret', set_when: 'has(args.secret) && args.secret == true', ttl_seconds: 3 },
    { id: 'tried', set_when: 'action.type == "send"', scope: 'agent', on: 'checked', ttl_seconds: 2 },
  ],
  rules: [
    { id: 'no-send', when: 'facts.secret && action.type == "send"', effect: 'deny' },
    { id: 'asked', tools: ['wire'], when: 'facts.tried && !facts.secret', effect: 'approve' },
    { id: 'large', args: { amount: { max: 8 } }, effect: 'deny_unless', mode: 'observe' },
    {
      id: 'anna',
      tools: ['refund'],
      when: 'principal == "anna" && (has(args.amount) && args.amount > 6)',
      effect: 'deny',
    },
    { id: 'mail', types: ['send'], args: { to: { domain_in: ['acme.example'] } }, effect: 'deny_unless' },
  ],
  limits: [
    { id: 'customer', tools: ['refund'], key: 'args.customer', max_count: 3, window_seconds: 2 },
    { id: 'amounts', tools: ['refund', 'wire'], sum: 'args.amount', max_sum: '40.5', window_seconds: 5, reserve: true },
    { id: 'tried', max_count: 20, window_seconds: 1, mode: 'observe' },
  ],
};

const PROFILES: readonly object[] = [
  {},
  { spending_limit: 30, rate_limit: { max: 25, per_seconds: 2 }, off_limits_actions: ['drop_*'] },
  { ...RULES, spending_limit: 400, spending_window: 'month' },
  { ...RULES, rate_limit: { max: 40, per_seconds: 3 }, blocked_apis: ['evil.example'], blocked_data_scopes: ['pii.*'] },
  { ...RULES, mode: 'observe', rate_limit: { max: 10, per_seconds: 1 }, spending_limit: 5, spending_window: 'action' },
  { ...RULES, output_rules: { blocked_pii: ['email'], block_secrets: true, blocked_topics: [], max_length: null } },
  { rate_limit: { max: 60, per_seconds: 10 }, spending_limit: 1000, store_payload: false },
];

/** Body of a PATCH of a profile. */
export function randomProfile(random: Random): object {
  return { ...NOTHING, ...random.of(PROFILES) };
}

/** A check of a history: its action and its headers. */
export interface RandomCheck {
  readonly action: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
}

/** @param serial number of the check */
export function randomCheck(random: Random, serial: number): RandomCheck {
  const session = random.of([null, null, 'a', 'b', 'c']);
  const principal = random.of([null, 'anna', 'bert']);
  return {
    action: { ...randomAction(random), metadata: { marker: `check-${serial}` } },
    headers: {
      ...(session === null ? {} : { 'x-countersign-session': session }),
      ...(principal === null ? {} : { 'x-countersign-principal': principal }),
      ...(random.chance(0.2) ? { 'idempotency-key': `check-${serial}` } : {}),
    },
  };
}

function randomAction(random: Random): object {
  const cost = random.chance(0.4) ? { estimatedCost: random.below(40) / 8 } : {};
  const amount = random.below(90) / 8;
  const customer = `c${random.below(4)}`;
  switch (random.below(6)) {
    case 0:
      return {
        ...{ type: 'http_call', url: random.of(['https://api.example.com/x', 'https://evil.example/y']) },
        ...cost,
      };
    case 1:
      return { type: 'data_access', dataScope: random.of(['orders', 'pii.email']), payload: { secret: true } };
    case 2:
      return { type: 'send', payload: { to: random.of(['a@acme.example', 'b@other.example', 'c']), text: 'hello' } };
    case 3:
      return { type: 'tool_use', tool_name: 'wire', payload: { amount }, ...cost };
    case 4:
      return { type: 'tool_use', tool_name: random.of(['search', 'drop_table']), payload: { amount: 1 }, ...cost };
    default:
      // Sometimes without what a rule reads.
      return {
        ...{ type: 'tool_use', tool_name: 'refund', ...cost },
        payload: random.chance(0.05) ? { customer } : { customer, amount },
      };
  }
}
