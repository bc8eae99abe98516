import { denialBody } from '@countersign/contracts';
import type { ScanRequest } from '@countersign/contracts';
import type { Counters } from '@countersign/counters';
import { scanInTurns } from '@countersign/policy-engine';
import type { Violation } from '@countersign/policy-engine';
import { HttpRefusal } from '@countersign/service-kit';
import { TurnTaker } from '../check/turn-taker.js';
import type { KnownAgent, KnownFacts } from '../follow/known-facts.js';

const WAIT_MS = 1000;

/** Judges texts by the output rules of an agent. Nothing is recorded or counted. */
export class Scanner {
  readonly #turns = new TurnTaker();

  constructor(
    private readonly known: Pick<KnownFacts, 'agents' | 'agent'>,
    private readonly counters: Pick<Counters, 'version'>,
  ) {}

  /**
   * The body of the answer, as a check's. A frozen agent's text is judged as well.
   * @throws HttpRefusal 404 where the account has no such agent, or it is inactive; 503 while its rules are not known
   */
  async scan(accountId: string, { agentId, text }: ScanRequest): Promise<Readonly<Record<string, unknown>>> {
    const agent = await this.#agent(agentId.toLowerCase());
    if (agent === undefined || agent.facts.accountId !== accountId || agent.facts.status === 'inactive') {
      throw new HttpRefusal(404, 'no such agent, or it is inactive');
    }
    const violation = await this.#judge(agent, text);
    if (violation === null || agent.profile.observe) return { allowed: true };
    return denialBody(violation, violation.extras);
  }

  #judge({ profile }: KnownAgent, text: string): Promise<Violation | null> {
    return new Promise((resolve, reject) => {
      this.#turns.take(scanInTurns(profile, text), () => false, resolve, reject);
    });
  }

  /** By the profile that is in force, whoever changed it where. */
  async #agent(id: string): Promise<KnownAgent | undefined> {
    const version = await this.counters.version('agent', id).catch(() => {
      throw unknownYet();
    });
    if (version !== null && !(await this.known.agents.waitFor(id, version, WAIT_MS))) throw unknownYet();
    return this.known.agent(id);
  }
}

function unknownYet(): HttpRefusal {
  return new HttpRefusal(503, 'the rules in force are not known here yet: try again', { 'retry-after': '1' });
}
