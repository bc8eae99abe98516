import type {
  CheckTrip,
  CheckTripResult,
  ClaimBounds,
  CountedEvent,
  Counters,
  Judgement,
  RuleBounds,
  StaticViolation,
} from '../port.js';
import type { StoredAnswer, UsageSnapshot } from '../port.js';

/** Counters for one test, not serving yet, whose time comes from `clock`. */
export interface ContractCounters {
  readonly counters: Counters;
  /** The same counters as opened by another gateway. */
  readonly another: () => Promise<Counters>;
  /** Closes them all. */
  readonly cleanup: () => Promise<void>;
}

export type OpenCounters = (options: {
  clock: () => number;
  claimBounds?: ClaimBounds;
  ruleBounds?: RuleBounds;
}) => Promise<ContractCounters>;

export const MOST = Number.MAX_SAFE_INTEGER;
export const DAY_MS = 86_400_000;
export const START = Date.UTC(2026, 10, 21, 12);

export const VIOLATION: StaticViolation = {
  violation_type: 'off_limits_action',
  severity: 'P1',
  reason: 'off limits',
  rule: 'off_limits_actions:transfer',
  detail: null,
  extras: null,
};

let trips = 0;
export function tripOf(change: Partial<CheckTrip> = {}): CheckTrip {
  return {
    accountId: 'account',
    agentId: 'agent',
    apiKeyId: 'api key',
    versions: { account: 1, apiKey: 1, agent: 1 },
    plan: { plan: 'enterprise', actionCap: null, sandboxExpiresAtMs: null },
    profileVersion: 1,
    frozen: false,
    observe: false,
    freezeOnViolation: false,
    violation: null,
    costMicros: 0,
    spending: null,
    rate: null,
    rules: undefined,
    wantsSeen: false,
    idempotency: null,
    entropy: (++trips).toString(16).padStart(20, '0'),
    actionSalt: `salt ${trips}`,
    payloadSalt: null,
    ...change,
  };
}
export const keyed = (keySha256: string, bodySha256 = 'body') => ({ idempotency: { keySha256, bodySha256 } });
export const answerOf = (eventId: string, status = 200): StoredAnswer => {
  return { status, body: `{"allowed":true,"n":"${eventId}"}`, eventId, coverage: 'governed' };
};
export const deniedOf = (eventId: string): StoredAnswer => ({ ...answerOf(eventId), body: '{"allowed":false}' });
export const eventOf = (change: Partial<CountedEvent>): CountedEvent => ({
  partition: 0,
  offset: 0,
  accountId: 'account',
  agentId: 'agent',
  eventId: 'event',
  occurredAtMs: START,
  countsAction: true,
  countsRate: false,
  costMicros: 0,
  freezesAgent: false,
  idempotency: null,
  ...change,
});
export const agentSnapshot = (
  change: Partial<UsageSnapshot['agents'][number]> = {},
): UsageSnapshot['agents'][number] => ({
  agentId: 'agent',
  day: '2026-11-21',
  dayMicros: 0,
  month: '2026-11',
  monthMicros: 0,
  rateTimes: [],
  frozen: false,
  unfrozenAtMs: 0,
  ...change,
});
export const EMPTY: UsageSnapshot = { accounts: [], agents: [], claims: [], versions: [] };

/** Serving counters, opened for each test, and the requests that tests repeat. */
export class CountersBench {
  /** The time that they use, ms since 1970. */
  nowMs = START;
  counters!: Counters;
  #opened!: ContractCounters;

  constructor(readonly open: OpenCounters) {
    beforeEach(async () => {
      this.nowMs = START;
      this.#opened = await open({ clock: () => this.nowMs });
      ({ counters: this.counters } = this.#opened);
      await this.counters.serve();
    });
    afterEach(() => this.#opened.cleanup());
  }

  /** Opens other, serving counters for the rest of the test. */
  async reopen(claimBounds: ClaimBounds | undefined, ruleBounds?: RuleBounds): Promise<void> {
    await this.#opened.cleanup();
    this.#opened = await this.open({
      clock: () => this.nowMs,
      ...(claimBounds === undefined ? {} : { claimBounds }),
      ...(ruleBounds === undefined ? {} : { ruleBounds }),
    });
    ({ counters: this.counters } = this.#opened);
    await this.counters.serve();
  }

  another(): Promise<Counters> {
    return this.#opened.another();
  }

  readonly judge = async (change: Partial<CheckTrip> = {}): Promise<Judgement> => {
    const result = await this.counters.check(tripOf(change));
    if (result.kind !== 'judged') throw new Error(`expected a judgement, got ${JSON.stringify(result)}`);
    return result.judgement;
  };
  readonly outcomeOf = async (change: Partial<CheckTrip> = {}): Promise<Judgement['outcome']> =>
    (await this.judge(change)).outcome;
  readonly kindOf = async (change: Partial<CheckTrip> = {}): Promise<CheckTripResult['kind']> =>
    (await this.counters.check(tripOf(change))).kind;
  readonly actions = async (accountId = 'account'): Promise<number> =>
    (await this.counters.usage(accountId)).actionsEver;
}
