import { ALLOWED, denied, type Retelling, type StoryCheck, USUAL } from './redecide-story.js';

const RULES = [...USUAL, 'rules'] as const;

const onlyThese =
  (...checks: readonly StoryCheck[]): NonNullable<Retelling['checks']> =>
  () =>
    checks;

const withRules =
  (rules: readonly object[], more: object = {}): NonNullable<Retelling['profile']> =>
  (profile) => ({ ...profile, ...more, rules: [...(profile['rules'] as never[]), ...(rules as never[])] });

const payment = (amount: number | string, account: string): Pick<StoryCheck, 'action' | 'payload' | 'coverage'> => ({
  action: { tool_name: 'pay' },
  payload: { amount, account },
  coverage: RULES,
});

const search: Pick<StoryCheck, 'action' | 'coverage'> = { action: { tool_name: 'search' }, coverage: USUAL };
const refund = (amount: number): Pick<StoryCheck, 'action' | 'payload' | 'coverage'> => ({
  action: { tool_name: 'refund' },
  payload: { amount },
  coverage: ['limits', ...USUAL],
});

/** Payments of more than 10 need an approval, and none goes to the account `closed`. */
export const WITH_APPROVALS = withRules([
  { id: 'large', tools: ['pay'], args: { amount: { min: 10 } }, effect: 'approve' },
  { id: 'closed', tools: ['pay'], args: { account: { one_of: ['closed'] } }, effect: 'deny', severity: 'P3' },
]);
const REQUIRED = denied('approval_required', 'P2', 'rules:large');
export const PAYMENTS: readonly StoryCheck[] = [
  { ...payment(5, 'open'), leaf: ALLOWED, seen: { rate: 0 } },
  { ...payment(50, 'open'), leaf: REQUIRED, effect: 'approve', seen: { rate: 1 } },
  { ...payment(50, 'closed'), leaf: denied('rule_denied', 'P3', 'rules:closed'), seen: { rate: 1 } },
  { ...payment('50', 'open'), leaf: denied('rule_error', 'P1', 'rules:large'), seen: { rate: 1 } },
];

const approvalOf = (rule: string, state: string): NonNullable<StoryCheck['approval']> => ({
  id: '0198a1b2-0000-4000-8000-00000000000a',
  ...{ rule, state },
});

/** As {@link WITH_APPROVALS}; payments of more than 100 need one more approval. */
export const WITH_TWO_APPROVALS = withRules([
  { id: 'large', tools: ['pay'], args: { amount: { min: 10 } }, effect: 'approve' },
  { id: 'huge', tools: ['pay'], args: { amount: { min: 100 } }, effect: 'approve' },
  { id: 'closed', tools: ['pay'], args: { account: { one_of: ['closed'] } }, effect: 'deny', severity: 'P3' },
]);
const HUGE_REQUIRED = denied('approval_required', 'P2', 'rules:huge');
export const APPROVED: readonly StoryCheck[] = [
  {
    ...{ ...payment(50, 'open'), approval: approvalOf('large', 'pending'), effect: 'approve', seen: { rate: 0 } },
    leaf: REQUIRED,
  },
  { ...payment(50, 'open'), approval: approvalOf('large', 'used'), leaf: ALLOWED, seen: { rate: 0 } },
  { ...payment(50, 'open'), approval: approvalOf('large', 'consumed'), leaf: ALLOWED, seen: { rate: 1 } },
  {
    ...{ ...payment(50, 'closed'), approval: approvalOf('large', 'approved'), seen: { rate: 2 } },
    leaf: denied('rule_denied', 'P3', 'rules:closed'),
  },
  {
    ...{ ...payment(500, 'open'), approval: approvalOf('large', 'approved'), effect: 'approve', seen: { rate: 2 } },
    leaf: HUGE_REQUIRED,
  },
  {
    ...{ ...payment(500, 'open'), leaf: ALLOWED, seen: { rate: 2 } },
    approval: { ...approvalOf('huge', 'consumed'), also: [approvalOf('large', 'consumed')] },
  },
];

/** A payment that is said to be allowed by an approval. */
export const allowedBy = (rule: string, state: string): readonly StoryCheck[] => [
  { ...payment(50, 'open'), approval: approvalOf(rule, state), leaf: ALLOWED, seen: { rate: 0 } },
];

const FROZEN = { outcome: 'frozen', allowed: false, reason: 'r', severity: 'P1' } as const;
/** Checks of a frozen agent, and of one that no longer is. */
export const FREEZE: readonly StoryCheck[] = [
  { ...search, leaf: ALLOWED, seen: { rate: 0 } },
  { ...search, leaf: FROZEN, seen: { rate: 1, frozen: true } },
  { action: { tool_name: 'wire' }, coverage: USUAL, leaf: FROZEN, seen: { rate: 1, frozen: true } },
  { ...search, leaf: ALLOWED, seen: { rate: 1, plan: { used: 1 } } },
];

/** The rule `tried` is only observed. */
export const WITH_OBSERVED_RULE = withRules([
  { id: 'tried', tools: ['search'], when: "agent.id != ''", effect: 'deny', mode: 'observe', severity: 'P1' },
]);
export const OBSERVED_RULE: readonly StoryCheck[] = [
  {
    ...{ ...search, coverage: RULES, effect: 'observe', seen: { rate: 0 } },
    leaf: { ...denied('rule_denied', 'P1', 'rules:tried'), ...ALLOWED },
  },
  {
    ...{ action: { tool_name: 'wire' }, coverage: USUAL, seen: { rate: 1 } },
    leaf: denied('off_limits_action', 'P1', 'off_limits_actions:wire'),
  },
];

/** A profile that denies nothing. */
export const IN_OBSERVE_MODE = withRules([], { mode: 'observe' });
export const OBSERVED: readonly StoryCheck[] = [
  {
    ...{ action: { tool_name: 'wire' }, coverage: USUAL, effect: 'observe', seen: { rate: 0 } },
    leaf: { ...denied('off_limits_action', 'P1', 'off_limits_actions:wire'), ...ALLOWED },
  },
  { ...refund(60), leaf: ALLOWED, seen: { rate: 1, limits: { refunds: '0' } } },
  {
    ...{ ...refund(50), effect: 'observe', seen: { rate: 2, limits: { refunds: '60' } } },
    leaf: { ...denied('limit_exceeded', 'P2', 'limits:refunds'), ...ALLOWED },
  },
  { ...refund(0), leaf: ALLOWED, seen: { rate: 3, limits: { refunds: '110' } } },
];

/** Checks under a plan: of the last action, of one more, and after its end. */
export const PLANNED: readonly StoryCheck[] = [
  { ...search, leaf: ALLOWED, seen: { rate: 0, plan: { cap: 1 } } },
  {
    ...{ ...search, seen: { rate: 1, plan: { cap: 1 } } },
    leaf: { outcome: 'action_cap', allowed: false, reason: 'r', severity: 'P3' },
  },
  {
    ...{ ...search, seen: { rate: 1, plan: { used: 1, cap: 1, expires: '2026-03-02T10:03:01.000Z' } } },
    leaf: { outcome: 'sandbox_expired', allowed: false, reason: 'r', severity: 'P3' },
  },
];

export { onlyThese };
