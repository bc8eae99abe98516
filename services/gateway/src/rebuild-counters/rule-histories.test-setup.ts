import { randomUUID } from 'node:crypto';
import { packAmounts } from '@countersign/contracts';
import type { BehaviorProfile, EventEnvelope, HeldAmount, KeptRules, UsageFacts } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import { plainEnvelope, plainLeaf, uuidV7 } from '@countersign/evidence';
import { versionedRecord } from '@countersign/topics';
import { send } from '../gateway.test-setup.js';
import type { GatewayBench } from '../gateway.test-setup.js';

const [MOST_REFUNDS, MOST_AMOUNT, MOST_BRIEF, BRIEF_MS] = [3, 20, 6, 1000];
/** No send after a secret; few refunds for each customer; a sum that is reserved; a limit whose window is short. */
const RULES: Partial<BehaviorProfile> = {
  facts: [{ id: 'secret', set_when: 'has(args.secret) && args.secret == true', ttl_seconds: 3600 }],
  rules: [{ id: 'no-send', when: 'facts.secret && action.type == "send"', effect: 'deny' }],
  limits: [
    { id: 'refunds', key: 'args.customer', max_count: MOST_REFUNDS, window_seconds: 3600 },
    { id: 'amounts', sum: 'args.amount', max_sum: `${MOST_AMOUNT}`, window_seconds: 3600, reserve: true },
    { id: 'brief', max_count: MOST_BRIEF, window_seconds: BRIEF_MS / 1000 },
  ],
};

/** One check, or the outcome that an earlier check was skipped. */
export interface RuleStep {
  readonly gateway: number;
  readonly session: number;
  readonly customer: number;
  readonly amount: number;
  readonly secret: boolean;
  readonly sends: boolean;
  /** So many checks ago: of that the outcome is reported; `null`: this is a check. */
  readonly skips: number | null;
}

/** A gateway that the history asks. */
export interface AskedGateway {
  readonly port: number;
  readonly counters: Pick<Counters, 'giveBackHeld'>;
}

/** A check of the history and what the log has of it. */
interface Done {
  readonly step: RuleStep;
  readonly envelope: EventEnvelope;
  skipped: boolean;
}

/** Checks of one agent, one after the other, each compared with what counters that were never lost would have seen. */
export class RuleHistory {
  readonly agentId = randomUUID();
  readonly #bench: GatewayBench;
  readonly #gateways: () => readonly AskedGateway[];
  readonly #done: Done[] = [];
  static #versions = 0;

  constructor(bench: GatewayBench, gateways: () => readonly AskedGateway[]) {
    this.#bench = bench;
    this.#gateways = gateways;
  }

  /** @param raised raises the version of the agent in the counters */
  async begin(raised: (agentId: string) => Promise<void>): Promise<void> {
    await this.#bench.putAgent(this.agentId, RULES, {}, false);
    await raised(this.agentId);
  }

  /** Takes a step and compares the balances of its check. */
  async take(step: RuleStep): Promise<void> {
    const gateways = this.#gateways();
    const gateway = gateways[step.gateway % gateways.length]!;
    if (step.skips !== null) return this.#skip(step.skips, gateway);
    const { session, customer, amount, secret, sends } = step;
    const payload = { customer: `c${customer}`, amount, secret };
    const answer = await send(gateway.port, {
      headers: { 'x-service-key': this.#bench.key, 'x-countersign-session': `session ${session}` },
      body: JSON.stringify({ agentId: this.agentId, action: { type: sends ? 'send' : 'pay', payload } }),
    });
    expect(answer.status).toBe(200);
    const eventId = String(answer.headers['x-event-id']);
    const envelope = (await this.#bench.events()).findLast(({ leaf }) => leaf.eventId === eventId);
    if (envelope === undefined) throw new Error(`the log has no event ${eventId}`);
    const expected = this.#expected(step, Date.parse(envelope.leaf.occurredAt));
    const context = envelope.openings.context?.value as unknown as {
      readonly facts?: readonly string[];
      readonly seen: { readonly order: number; readonly limits: Readonly<Record<string, string>> };
    };
    const { order, limits } = context.seen;
    expect({ allowed: answer.body.allowed, order, limits, facts: context.facts ?? [] }).toEqual(expected);
    this.#done.push({ step, envelope, skipped: false });
  }

  /**
   * Publishes what policy would have published, when it had followed the agent up to one of its events and the log up to
   * an earlier or the same one. Both are parts of the events so far.
   */
  async publish(position: number, ofAgent: number): Promise<void> {
    const records = await this.#bench.log.read('agent-events', 0, 0, 100_000);
    const end = records.length === 0 ? 0 : records.at(-1)!.offset + 1;
    const at = Math.floor(position * (end + 1));
    const agentAt = at + Math.floor(ofAgent * (end - at + 1));
    const own = records
      .filter(({ offset }) => offset < agentAt)
      .map(({ value }) => JSON.parse(Buffer.from(value).toString('utf8')) as EventEnvelope)
      .filter(({ leaf }) => leaf.agentId === this.agentId);
    const none = { day: '', dayMicros: 0, month: '', monthMicros: 0, rateTimes: [] };
    const order = Math.max(0, ...own.map(({ order = 0 }) => order));
    const rows: Readonly<Record<string, UsageFacts>> = {
      [`agent:${this.agentId}`]: { kind: 'agent', partition: 0, offset: agentAt, ...none, order, rules: keptOf(own) },
      position: { kind: 'position', offsets: { 0: at } },
    };
    const version = (RuleHistory.#versions += 1);
    const messages = Object.entries(rows).map(([id, value]) => versionedRecord('usage', id, version, value));
    await this.#bench.log.append(messages);
  }

  #expected({ session, customer, amount, sends, secret: sets }: RuleStep, atMs: number): object {
    const allowed = this.#done.filter(({ envelope }) => envelope.leaf.allowed);
    const secret = allowed.some(({ step }) => step.session === session && step.secret);
    const refunds = allowed.filter(({ step }) => step.customer === customer).length;
    const amounts = allowed.filter(({ skipped }) => !skipped).reduce((sum, { step }) => sum + step.amount, 0);
    const brief = allowed.filter(({ envelope }) => atMs - Date.parse(envelope.leaf.occurredAt) < BRIEF_MS).length;
    const fits = refunds < MOST_REFUNDS && amounts + amount <= MOST_AMOUNT && brief < MOST_BRIEF;
    return {
      allowed: fits && !(secret && sends),
      order: this.#done.length + 1,
      limits: { refunds: `${refunds}`, amounts: `${amounts}`, brief: `${brief}` },
      // A check sees the facts that it reads or sets.
      facts: secret && (sends || sets) ? ['secret'] : [],
    };
  }

  /** As the archive reports an outcome and policy follows it, which may be twice. */
  async #skip(ago: number, { counters }: AskedGateway): Promise<void> {
    const done = this.#done.filter(({ envelope, skipped }) => envelope.leaf.allowed && !skipped).at(-1 - ago);
    if (done === undefined) return;
    const { leaf, order = 0, ruleCounts, accountId } = done.envelope;
    const atMs = Date.parse(leaf.occurredAt);
    const held = (ruleCounts?.limits ?? [])
      .filter(({ reserve }) => reserve)
      .map(({ key, amount }) => ({ key, order, atMs, amount }));
    const outcome = plainLeaf({
      ...{ type: 'action.outcome', eventId: uuidV7(atMs, new Uint8Array(10).fill(order)), refersTo: leaf.eventId },
      ...{ agentId: this.agentId, outcome: 'skipped', occurredAt: new Date().toISOString() },
    });
    const envelope: EventEnvelope = {
      ...plainEnvelope(outcome, { accountId, cadenceSeconds: 1, apiKeyId: null, openings: {} }),
      givesBackHeld: held,
    };
    const value = JSON.stringify(envelope);
    await this.#bench.log.append([{ topic: 'agent-events', key: this.agentId, value }]);
    for (let n = 0; n < 2; n += 1) await counters.giveBackHeld(this.agentId, held);
    done.skipped = true;
  }
}

/** Facts and amounts of the events of one agent, by the plain rules. */
function keptOf(events: readonly EventEnvelope[]): KeptRules {
  const back = new Set(
    events.flatMap(({ givesBackHeld = [] }) => givesBackHeld.map(({ key, order }) => `${key} ${order}`)),
  );
  const windows = new Map<string, { seconds: number; amounts: HeldAmount[] }>();
  const facts = events.flatMap(({ ruleCounts }) => ruleCounts?.facts ?? []);
  for (const { leaf, order = 0, ruleCounts } of events) {
    for (const { key, windowSeconds, amount } of ruleCounts?.limits ?? []) {
      if (back.has(`${key} ${order}`)) continue;
      const window = windows.get(key) ?? { seconds: windowSeconds, amounts: [] };
      window.amounts.push({ key, order, atMs: Date.parse(leaf.occurredAt), amount });
      windows.set(key, window);
    }
  }
  return {
    facts: facts.map(({ id, key, expiresAtMs }) => [id, key, expiresAtMs]),
    windows: [...windows].map(([key, { seconds, amounts }]) => {
      return [key, seconds, amounts.at(-1)!.atMs, packAmounts(amounts)];
    }),
  };
}
