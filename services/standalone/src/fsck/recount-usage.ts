import { checkAnswer, type UsageFacts } from '@countersign/contracts';
import type { StoredLog } from '@countersign/event-log';
import { LAYOUT } from './layout.js';
import { newestRecords } from './newest-records.js';
import type { NumberedLeaf } from './number-leaves.js';
import type { Store } from './open-stores.js';
import type { Check } from './report.js';

type AccountFacts = Extract<UsageFacts, { kind: 'account' }>;
type AgentFacts = Extract<UsageFacts, { kind: 'agent' }>;

/** Sums saturate where a double is no longer exact. */
const sum = (a: number, b: number): number => Math.min(a + b, Number.MAX_SAFE_INTEGER);

/** Totals as somebody keeps them, and the offset that they stand at. */
interface Claimed {
  readonly place: string;
  readonly offset: number;
  readonly totals: readonly (readonly [name: string, value: string | number])[];
  compared: boolean;
}

interface Tally {
  period: string;
  day: string;
  inPeriod: number;
  ever: number;
  dayMicros: number;
  /** Offset of the last event that counted here. */
  last: number;
  readonly claimed: Claimed[];
}

/** Counts actions and spending anew from the leaves and compares with the snapshots and with policy's store. */
export class UsageRecount {
  readonly #check: Check;
  readonly #tallies = new Map<string, Tally>();
  /** Everything below this offset is in the snapshots. */
  readonly #position: number;
  readonly #unsaid = new Map<string, number>();

  /** @throws LogDamaged, RecordUnreadable */
  constructor(log: StoredLog, policy: Store | null, check: Check) {
    this.#check = check;
    const snapshots = newestRecords<UsageFacts>(log, 'usage', {
      values: true,
      keys: (key) => !key.startsWith('claim:'),
    });
    const position = snapshots.get('position')?.value;
    this.#position = position?.kind === 'position' ? (position.offsets[0] ?? 0) : 0;
    for (const [key, { value, offset }] of snapshots) {
      if (value?.kind === 'account' || value?.kind === 'agent')
        this.#claim(key, `usage offset ${offset} (${key})`, value);
    }
    if (policy !== null) this.#claimStored(policy);
  }

  take({ offset, envelope }: NumberedLeaf): void {
    const { leaf, accountId, countsAction, countsRate, costMicros, freezesAgent, idempotency } = envelope;
    if (leaf.type !== 'action.checked') return;
    const claims = idempotency !== null && checkAnswer(envelope)?.status === 200;
    if (!countsAction && !countsRate && !freezesAgent && costMicros === 0 && !claims) return;
    this.#check.examined += 1;
    const day = leaf.occurredAt.slice(0, 10);
    const actions = countsAction ? 1 : 0;
    this.#add(`account:${accountId}`, offset, day, actions, 0);
    this.#add(`agent:${leaf.agentId}`, offset, day, 0, costMicros);
  }

  /** @param end of the log; `null`: it was not read to its end */
  finish(end: number | null): void {
    if (end === null) return;
    for (const [key, tally] of this.#tallies) {
      this.#compare(key, tally, Infinity);
      const said = Math.max(
        -1,
        ...tally.claimed.filter(({ place }) => place.startsWith('usage')).map(({ offset }) => offset),
      );
      const due = this.#unsaid.get(key) ?? -1;
      if (said <= due)
        this.#check.wrong(
          `usage ${key}`,
          `offset ${due} counts and no snapshot holds it, although the position is ${this.#position}`,
        );
    }
    this.#check.behind = Math.max(0, end - this.#position);
  }

  #tally(key: string): Tally {
    let tally = this.#tallies.get(key);
    if (tally === undefined) {
      tally = { period: '', day: '', inPeriod: 0, ever: 0, dayMicros: 0, last: -1, claimed: [] };
      this.#tallies.set(key, tally);
    }
    return tally;
  }

  #add(key: string, offset: number, day: string, actions: number, micros: number): void {
    const tally = this.#tally(key);
    this.#compare(key, tally, offset);
    const month = day.slice(0, 7);
    const counted = actions + micros;
    if (month > tally.period) [tally.period, tally.inPeriod] = [month, counted];
    else if (month === tally.period) tally.inPeriod = sum(tally.inPeriod, counted);
    if (day > tally.day) [tally.day, tally.dayMicros] = [day, micros];
    else if (day === tally.day) tally.dayMicros = sum(tally.dayMicros, micros);
    tally.ever += actions;
    tally.last = offset;
    if (offset < this.#position) this.#unsaid.set(key, offset);
  }

  /** Compares what stands at or before `offset`. */
  #compare(key: string, tally: Tally, offset: number): void {
    for (const claimed of tally.claimed) {
      if (claimed.compared || claimed.offset > offset) continue;
      claimed.compared = true;
      const recount = recounted(key, tally);
      for (const [name, value] of claimed.totals) {
        if (value !== recount[name]) {
          this.#check.wrong(claimed.place, `${name} is ${value}, the log adds up to ${String(recount[name])}`);
        }
      }
      if (tally.last >= 0 && claimed.offset !== tally.last + 1) {
        this.#check.wrong(
          claimed.place,
          `it stands at offset ${claimed.offset}, the last event that counts lies at ${tally.last}`,
        );
      }
    }
  }

  #claim(key: string, place: string, facts: AccountFacts | AgentFacts): void {
    const totals =
      facts.kind === 'account'
        ? ([
            ['period', facts.period],
            ['actionsInPeriod', facts.actionsInPeriod],
            ['actionsEver', facts.actionsEver],
          ] as const)
        : ([
            ['day', facts.day],
            ['dayMicros', facts.dayMicros],
            ['month', facts.month],
            ['monthMicros', facts.monthMicros],
          ] as const);
    const offset = facts.kind === 'account' ? (facts.offsets[0] ?? 0) : facts.offset;
    this.#tally(key).claimed.push({ place, offset, totals, compared: false });
  }

  #claimStored(policy: Store): void {
    for (const kind of ['account', 'agent'] as const) {
      const rows = policy
        .prepare<[], { id: string; totals: string }>(`SELECT ${kind}_id AS id, totals FROM ${kind}_totals`)
        .iterate();
      for (const { id, totals } of rows) {
        const facts = { kind, ...(JSON.parse(totals) as object) } as AccountFacts | AgentFacts;
        this.#claim(`${kind}:${id}`, `${LAYOUT.policy} ${kind}_totals ${id}`, facts);
      }
    }
  }
}

function recounted(
  key: string,
  { period, day, inPeriod, ever, dayMicros }: Tally,
): Readonly<Record<string, string | number>> {
  return key.startsWith('account:')
    ? { period, actionsInPeriod: inPeriod, actionsEver: ever }
    : { day, dayMicros, month: period, monthMicros: inPeriod };
}
