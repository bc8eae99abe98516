import type { Answer } from '../instance/request.js';
import type { Asked } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import type { Attempt } from '../torture/load.js';

/** A check of a steady load: its result and times. */
export interface TimedAttempt extends Attempt {
  readonly agentId: string;
  /** `performance.now()` when it was sent. */
  readonly sentAt: number;
  /** From there to the answer, ms. */
  readonly tookMs: number;
  readonly retryAfter: string | null;
}

export interface SteadyLoadOptions {
  /** Unique among all loads on the installation. */
  readonly name: string;
  readonly perSecond: number;
  /** Used in turn; default: the first account's agent. */
  readonly agentIds?: readonly string[];
  /** The action of every check, without its marker. */
  readonly action?: Readonly<Record<string, unknown>>;
}

const TICK_MS = 5;
const CALL: Readonly<Record<string, unknown>> = { type: 'http_call', url: 'https://api.example.com/orders' };

const running = new Set<SteadyLoad>();

/** At the end of a test, also of a failed one: ends all running loads. */
export async function stopLoads(): Promise<void> {
  await Promise.all([...running].map((load) => load.stop()));
}

/** Sends checks at the times of a Poisson process, whether or not earlier ones were answered. */
export class SteadyLoad {
  /** In the order in which they ended. */
  readonly attempts: TimedAttempt[] = [];
  readonly #underWay = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;

  constructor(
    readonly instance: Asked,
    options: SteadyLoadOptions,
  ) {
    const { name, perSecond, agentIds = [instance.bootstrap.agentId], action = CALL } = options;
    const gap = (): number => (-Math.log(1 - Math.random()) * 1000) / perSecond;
    let next = 0;
    let dueAt = performance.now() + gap();
    running.add(this);
    this.#timer = setInterval(() => {
      for (const now = performance.now(); dueAt <= now; dueAt += gap()) {
        const n = next++;
        const agentId = agentIds[n % agentIds.length] ?? '';
        const metadata = { ...(action['metadata'] as object | undefined), marker: `${name}-${n}` };
        const sent = this.#send(metadata.marker, agentId, { ...action, metadata });
        this.#underWay.add(sent);
        void sent.then(() => this.#underWay.delete(sent));
      }
    }, TICK_MS);
  }

  async #send(marker: string, agentId: string, action: object): Promise<void> {
    const sentAt = performance.now();
    const answer = await this.instance.check(action, { agentId }).catch(() => null);
    const tookMs = performance.now() - sentAt;
    this.attempts.push({ marker, agentId, sentAt, tookMs, ...outcomeOf(answer) });
  }

  /** Ended checks that were sent at or after that time (`performance.now()`). */
  since(time: number): readonly TimedAttempt[] {
    return this.attempts.filter(({ sentAt }) => sentAt >= time);
  }

  /** Resolves when a check sent from now on is answered with that status, to the time that took, ms. */
  async until(status: number, seconds: number): Promise<number> {
    const from = performance.now();
    await eventually(`a check is answered ${status}`, seconds, async () => {
      return this.since(from).some((attempt) => attempt.status === status) ? true : null;
    });
    return performance.now() - from;
  }

  /** Sends no more checks; resolves when those in flight have ended. */
  async stop(): Promise<readonly TimedAttempt[]> {
    running.delete(this);
    clearInterval(this.#timer);
    while (this.#underWay.size > 0) await Promise.all(this.#underWay);
    return this.attempts;
  }
}

function outcomeOf(answer: Answer | null): Pick<TimedAttempt, 'status' | 'eventId' | 'text' | 'retryAfter'> {
  if (answer === null) return { status: null, eventId: null, text: '', retryAfter: null };
  const { status, headers, text } = answer;
  const eventId = headers['x-event-id'];
  return {
    status,
    eventId: typeof eventId === 'string' ? eventId : null,
    text,
    retryAfter: headers['retry-after'] ?? null,
  };
}

/** Number of answers by status. */
export function statuses(attempts: readonly Attempt[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { status } of attempts) counts[String(status)] = (counts[String(status)] ?? 0) + 1;
  return counts;
}
