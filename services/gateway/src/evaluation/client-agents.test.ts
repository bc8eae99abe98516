import { setTimeout as delay } from 'node:timers/promises';
import type { PackedAgent } from '../follow/packed-agent.js';
import { agentClients } from '../follow/agent-index.js';
import { ClientAgents } from './client-agents.js';

type Value = Pick<PackedAgent, 'accountId' | 'oauthClientIds'>;

const A = '0b0f9a5e-3c0a-4d8e-9a57-2f6d1d5f4c11';
const B = '1c0f9a5e-3c0a-4d8e-9a57-2f6d1d5f4c12';

const ACCOUNT = { accountId: 'account', agents: null };
const OTHER = { accountId: 'other', agents: null };

/** A topic, of which a reader has applied a part: the rest arrives by `waitFor` and `caughtUp`. */
class Topic {
  readonly agents = new Map<string, { version: number; value: PackedAgent }>();
  readonly #versions = new Map<string, number>();
  readonly #waiting: [id: string, value: Value, version: number][] = [];
  #listener: (id: string, agent: PackedAgent | null) => void = () => undefined;
  readings = 0;
  isReachable = true;
  isBehind = false;

  /** @param arrives `false`: announced, and not read yet */
  put(id: string, clients: readonly string[], accountId = 'account', arrives = true): void {
    const version = (this.#versions.get(id) ?? 0) + 1;
    this.#versions.set(id, version);
    this.#waiting.push([id, { accountId, oauthClientIds: clients.length === 0 ? null : clients }, version]);
    if (arrives) this.#apply();
  }

  #apply(): void {
    for (const [id, value, version] of this.#waiting.splice(0)) {
      this.agents.set(id, { version, value: value as PackedAgent });
      this.#listener(id, value as PackedAgent);
    }
  }

  reader(): ClientAgents {
    const agents = {
      get: (id: string) => this.agents.get(id),
      onChange: (listener: (id: string, agent: PackedAgent | null) => void) => void (this.#listener = listener),
      values: () => [...this.agents].map(([id, entry]) => ({ id, ...entry })).values(),
      waitFor: async (): Promise<boolean> => {
        if (this.isBehind) return false;
        this.#apply();
        return true;
      },
      caughtUp: async (): Promise<void> => {
        this.readings += 1;
        await delay(5);
        this.#apply();
      },
    } as const;
    const counters = {
      version: async (_kind: string, id: string): Promise<number | null> => {
        if (!this.isReachable) throw new Error('the counters are unavailable');
        return this.#versions.get(id) ?? null;
      },
    };
    return new ClientAgents(agents, agentClients(agents as never), counters, 1000);
  }
}

describe('the agent of a client', () => {
  let topic: Topic;
  let clients: ClientAgents;
  beforeEach(() => {
    topic = new Topic();
    clients = topic.reader();
  });

  it('is found in its account alone, and follows changes', async () => {
    topic.put(A, ['x', 'y']);
    topic.put(B, ['x'], 'other');
    expect(await clients.find(ACCOUNT, 'x')).toEqual({ agentId: A });
    expect(await clients.find(OTHER, 'x')).toEqual({ agentId: B });
    expect(await clients.find(OTHER, 'y')).toEqual({ agentId: null });
    topic.put(A, ['y', 'z']);
    expect(await clients.find(ACCOUNT, 'x')).toEqual({ agentId: null });
    expect(await clients.find(ACCOUNT, 'z')).toEqual({ agentId: A });
    topic.put(A, []);
    expect(await clients.find(ACCOUNT, 'z')).toEqual({ agentId: null });
  });

  it('is unknown only once the topic was read, and many who ask share its readings', async () => {
    topic.put(A, ['x'], 'account', false);
    expect(await clients.find(ACCOUNT, 'x')).toEqual({ agentId: A });
    const before = topic.readings;
    const all = await Promise.all(Array.from({ length: 50 }, () => clients.find(ACCOUNT, 'none')));
    expect(all.every((found) => found !== 'unavailable' && found.agentId === null)).toBe(true);
    expect(topic.readings - before).toBeLessThanOrEqual(2);
  });

  it('moves to another agent with the answer to the change', async () => {
    topic.put(A, ['x']);
    expect(await clients.find(ACCOUNT, 'x')).toEqual({ agentId: A });
    topic.put(A, [], 'account', false);
    topic.put(B, ['x'], 'account', false);
    expect(await clients.find(ACCOUNT, 'x')).toEqual({ agentId: B });
  });

  it('is not known while two agents have it here, a record does not arrive, or the counters are unavailable', async () => {
    topic.put(A, ['x']);
    topic.put(B, ['x']);
    expect(await clients.find(ACCOUNT, 'x')).toBe('unavailable');
    topic.put(B, []);
    expect(await clients.find(ACCOUNT, 'x')).toEqual({ agentId: A });
    topic.isBehind = true;
    topic.put(A, ['x'], 'account', false);
    expect(await clients.find(ACCOUNT, 'x')).toBe('unavailable');
    topic.isReachable = false;
    expect(await clients.find(ACCOUNT, 'x')).toBe('unavailable');
  });

  it('does not exist for a key that is not for it, and is looked for as long as one that does not', async () => {
    const limited = { accountId: 'account', agents: new Set([B]) };
    topic.put(A, ['x']);
    topic.put(B, ['y']);
    expect(await clients.find(limited, 'y')).toEqual({ agentId: B });
    expect(topic.readings).toBe(0);
    expect(await clients.find(limited, 'x')).toEqual({ agentId: null });
    expect(topic.readings).toBe(1);
    // By its id it is left to the check, as an id of no agent is.
    expect(await clients.find(limited, A)).toEqual({ agentId: A });
    expect(topic.readings).toBe(2);
    // It takes the client of an agent that the key is not for.
    topic.put(A, [], 'account', false);
    topic.put(B, ['x', 'y'], 'account', false);
    expect(await clients.find(limited, 'x')).toEqual({ agentId: B });
  });

  it('is the agent with this id before one with this client, and an id that is neither is left to the check', async () => {
    topic.put(A, ['x']);
    topic.put(B, [A]);
    expect(await clients.find(ACCOUNT, A.toUpperCase())).toEqual({ agentId: A });
    const unknown = '2d0f9a5e-3c0a-4d8e-9a57-2f6d1d5f4c13';
    topic.put(B, [unknown]);
    expect(await clients.find(ACCOUNT, unknown)).toEqual({ agentId: B });
    topic.put(B, []);
    expect(await clients.find(ACCOUNT, unknown)).toEqual({ agentId: unknown });
  });
});
