import type { UsageFacts } from '@countersign/contracts';
import type { Offsets, StoredLog } from '@countersign/event-log';
import type { PolicyInspection } from '@countersign/policy';
import { LAYOUT } from './layout.js';
import { newestRecords } from './newest-records.js';
import type { NumberedLeaf } from './number-leaves.js';
import { partitionOf, placeIn, Reached } from './places.js';
import type { Check } from './report.js';
import { RuleRecount } from './recount-rules.js';
import { addUp, Sums, type Totals } from './usage-sums.js';

type AccountFacts = Extract<UsageFacts, { kind: 'account' }>;
type AgentFacts = Extract<UsageFacts, { kind: 'agent' }>;

const ACCOUNT = 'account:';

/** Totals as a snapshot or a store holds them. */
interface Claimed {
  readonly key: string;
  readonly place: string;
  readonly totals: readonly (readonly [name: string, value: string | number])[];
  /** Of an agent. */
  readonly rules: Pick<AgentFacts, 'order' | 'rules'> | null;
  /** Sums of the log over the partitions that the totals count, each up to its position. */
  readonly recounted: Totals[];
}

/** Where totals stand in one partition. */
interface Stand {
  readonly claimed: Claimed;
  readonly at: number;
  reached: boolean;
}

/** Sums of an account or an agent in one partition. */
interface Tally {
  readonly key: string;
  readonly sums: Sums;
  /** Of an agent. */
  readonly rules: RuleRecount;
  /** Places of the first and of the last event that counted here; -1: none. */
  first: number;
  last: number;
  /** Place of the last one that the snapshots must hold. */
  due: number;
  readonly stands: Stand[];
}

/** Recounts actions, spending, facts and limits from the leaves and compares with the snapshots and with policy's store. */
export class UsageRecount {
  readonly #check: Check;
  /** By partition and key. */
  readonly #tallies = new Map<string, Tally>();
  readonly #claims: Claimed[] = [];
  /** Everything below it is in the snapshots. */
  readonly #position: Reached;
  /** Everything below it is in policy's store; `null`: the store cannot be read. */
  #stored: Reached | null = null;
  /** Partitions and keys of which policy's store has totals. */
  readonly #kept = new Set<string>();

  private constructor(log: StoredLog, check: Check) {
    this.#check = check;
    const snapshots = newestRecords<UsageFacts>(log, 'usage', {
      values: true,
      keys: (key) => !key.startsWith('claim:'),
    });
    const position = snapshots.get('position')?.value;
    const offsets = position?.kind === 'position' ? position.offsets : {};
    this.#position = new Reached(Object.entries(offsets).map(([partition, next]) => [Number(partition), next]));
    for (const [key, { value, offset }] of snapshots) {
      if (value?.kind === 'account' || value?.kind === 'agent')
        this.#claim(key, `usage offset ${offset} (${key})`, value);
    }
  }

  /** @throws LogDamaged, RecordUnreadable */
  static async of(log: StoredLog, policy: PolicyInspection | null, check: Check): Promise<UsageRecount> {
    const recount = new UsageRecount(log, check);
    if (policy !== null) await recount.#claimStored(policy);
    return recount;
  }

  take({ offset, envelope, counts }: NumberedLeaf): void {
    if (!counts) return;
    const { leaf, accountId, countsAction, costMicros, givesBack } = envelope;
    this.#check.examined += 1;
    const day = leaf.occurredAt.slice(0, 10);
    const actions = countsAction ? 1 : 0;
    this.#add(`account:${accountId}`, offset, day, actions, 0);
    const ofAgent = this.#add(`agent:${leaf.agentId}`, offset, day, 0, costMicros);
    ofAgent.rules.take(envelope);
    if (givesBack !== undefined) ofAgent.sums.giveBack(givesBack.occurredAt.slice(0, 10), givesBack.costMicros);
  }

  /** @param ends of the log; `null`: it was not read to its end */
  finish(ends: Offsets | null): void {
    if (ends === null) return;
    for (const tally of this.#tallies.values()) {
      this.#reach(tally, Infinity);
      const published = tally.stands.filter(({ claimed }) => claimed.place.startsWith('usage')).map(({ at }) => at);
      if (tally.due >= 0 && Math.max(-1, ...published) <= tally.due)
        this.#check.wrong(
          `usage ${tally.key}`,
          `offset ${tally.due} counts and no snapshot holds it, although the position is ${this.#position.of(partitionOf(tally.due))}`,
        );
    }
    for (const [name, { key, first }] of this.#tallies) {
      if (first >= 0 && this.#stored?.has(first) === true && !this.#kept.has(name))
        this.#check.wrong(`${LAYOUT.policy} ${key}`, `offset ${first} counts and no totals hold it`);
    }
    for (const claimed of this.#claims) this.#compare(claimed);
    for (const [partition, end] of Object.entries(ends)) {
      this.#check.behind += Math.max(0, end - this.#position.of(Number(partition)));
    }
  }

  /** Sums of the log for each account. */
  accounts(): ReadonlyMap<string, Totals> {
    const accounts = new Map<string, Totals>();
    for (const { key, sums } of this.#tallies.values()) {
      if (!key.startsWith(ACCOUNT)) continue;
      const id = key.slice(ACCOUNT.length);
      accounts.set(id, addUp([sums.totals(), ...(accounts.has(id) ? [accounts.get(id)!] : [])]));
    }
    return accounts;
  }

  #tally(key: string, partition: number): Tally {
    const name = nameOf(key, partition);
    let tally = this.#tallies.get(name);
    if (tally === undefined) {
      tally = { key, sums: new Sums(), rules: new RuleRecount(), first: -1, last: -1, due: -1, stands: [] };
      this.#tallies.set(name, tally);
    }
    return tally;
  }

  #add(key: string, place: number, day: string, actions: number, micros: number): Tally {
    // What only the archive of the embedded profile still has lies before its one partition.
    const tally = this.#tally(key, Math.max(0, partitionOf(place)));
    this.#reach(tally, place);
    tally.sums.add(day, actions, micros);
    if (tally.last === -1) tally.first = place;
    tally.last = place;
    if (this.#position.has(place)) tally.due = place;
    return tally;
  }

  /** Keeps the sums of what stands at or before `place`. */
  #reach(tally: Tally, place: number): void {
    for (const stand of tally.stands) {
      if (stand.reached || stand.at > place) continue;
      stand.reached = true;
      stand.claimed.recounted.push(tally.sums.totals());
      const { place: where, rules } = stand.claimed;
      if (rules !== null) for (const problem of tally.rules.differences(rules)) this.#check.wrong(where, problem);
      if (tally.last >= 0 && stand.at !== tally.last + 1) {
        this.#check.wrong(
          stand.claimed.place,
          `it stands at offset ${stand.at}, the last event that counts lies at ${tally.last}`,
        );
      }
    }
  }

  #compare({ key, place, totals, recounted }: Claimed): void {
    const recount = named(key, addUp(recounted));
    for (const [name, value] of totals) {
      if (value !== recount[name]) {
        this.#check.wrong(place, `${name} is ${value}, the log adds up to ${String(recount[name])}`);
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
            ['dayBackMicros', facts.dayBackMicros ?? 0],
            ['monthBackMicros', facts.monthBackMicros ?? 0],
          ] as const);
    const offsets = facts.kind === 'account' ? facts.offsets : { [facts.partition]: facts.offset };
    const rules = facts.kind === 'agent' ? facts : null;
    const claimed: Claimed = { key, place, totals, rules, recounted: [] };
    this.#claims.push(claimed);
    for (const [partition, offset] of Object.entries(offsets)) {
      const at = placeIn(Number(partition), offset);
      this.#tally(key, Number(partition)).stands.push({ claimed, at, reached: false });
    }
  }

  async #claimStored(policy: PolicyInspection): Promise<void> {
    this.#stored = new Reached(await policy.positions('agent-events'));
    for await (const { totals } of policy.accountTotals()) {
      const { accountId: id, offsets } = totals;
      for (const partition of Object.keys(offsets)) this.#kept.add(nameOf(`account:${id}`, Number(partition)));
      this.#claim(`account:${id}`, `${LAYOUT.policy} account_totals ${id}`, { kind: 'account', ...totals });
    }
    for await (const { totals } of policy.agentTotals()) {
      const { agentId: id, partition } = totals;
      this.#kept.add(nameOf(`agent:${id}`, partition));
      this.#claim(`agent:${id}`, `${LAYOUT.policy} agent_totals ${id}`, { kind: 'agent', ...totals });
    }
  }
}

function nameOf(key: string, partition: number): string {
  return `${partition} ${key}`;
}

function named(
  key: string,
  { day, dayMicros, period, inPeriod, ever, dayBack, periodBack }: Totals,
): Readonly<Record<string, string | number>> {
  return key.startsWith('account:')
    ? { period, actionsInPeriod: inPeriod, actionsEver: ever }
    : { day, dayMicros, month: period, monthMicros: inPeriod, dayBackMicros: dayBack, monthBackMicros: periodBack };
}
