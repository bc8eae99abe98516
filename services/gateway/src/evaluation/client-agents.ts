import type { Counters } from '@countersign/counters';
import type { Projection } from '@countersign/topics';
import type { AgentIndex } from '../follow/agent-index.js';
import type { PackedAgent } from '../follow/packed-agent.js';
import type { KnownKey } from '../follow/read-model.js';

/** The agent that a client acts as: its id, `null` for none, or that it cannot be known at the moment. */
export type FoundClient = { readonly agentId: string | null } | 'unavailable';

/** The account and the agents of an API key; `null`: all of the account. */
type Asking = Pick<KnownKey, 'accountId' | 'agents'>;

type Agents = Pick<Projection<PackedAgent>, 'get' | 'waitFor' | 'caughtUp'>;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Records that may arrive while a client is looked up. */
const MOST_ROUNDS = 8;

/**
 * Finds agents by the OAuth client ids of their records (COAZ-MCP, section "Information Model"). A change of client ids holds
 * from the answer to it on, on every gateway: an agent is taken by its newest version, and a client is unknown only once
 * everything in the topic has been read.
 */
export class ClientAgents {
  /** The latest reading of the topic to its end, and the next one, which those join who call during it. */
  #reading: Promise<void> = Promise.resolve();
  #next: Promise<void> | null = null;

  /** @param waitMs most time for records that have not arrived */
  constructor(
    private readonly agents: Agents,
    private readonly clients: Pick<AgentIndex, 'find'>,
    private readonly counters: Pick<Counters, 'version'>,
    private readonly waitMs: number,
  ) {}

  /**
   * Agents that the key is not for do not exist here: neither the answer nor its time shows a limited key that there is one.
   * @param client a client id, or the id of an agent: an agent of the account with this id goes before one with this client
   */
  async find(key: Asking, client: string): Promise<FoundClient> {
    const id = UUID.test(client) ? client.toLowerCase() : null;
    if (id !== null && isFor(key, id) && this.agents.get(id)?.value.accountId === key.accountId) return { agentId: id };
    const found = await this.#find(key, client).catch(() => 'unavailable' as const);
    // The check itself knows an agent whose record has not arrived.
    return found !== 'unavailable' && found.agentId === null ? { agentId: id } : found;
  }

  async #find(key: Asking, client: string): Promise<FoundClient> {
    const until = performance.now() + this.waitMs;
    let isRead = false;
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      const [agentId, other] = this.clients.find(key.accountId, client).filter((id) => isFor(key, id));
      const left = until - performance.now();
      if (left <= 0) return 'unavailable';
      if (agentId === undefined && isRead) return { agentId: null };
      if (agentId === undefined || other !== undefined) {
        // Of two agents, one has lost it by a record that is on its way here.
        if (isRead || !(await within(left, this.#readToEnd()))) return 'unavailable';
        isRead = true;
        continue;
      }
      const newest = (await this.counters.version('agent', agentId)) ?? 0;
      if ((this.agents.get(agentId)?.version ?? 0) >= newest) return { agentId };
      if (!(await this.agents.waitFor(agentId, newest, left))) return 'unavailable';
      // It may have lost the client to another agent since.
      isRead = false;
    }
    return 'unavailable';
  }

  /** Everything that is in the topic at the time of the call has been applied. Any number of calls share two readings. */
  #readToEnd(): Promise<void> {
    this.#next ??= this.#reading
      .catch(() => undefined)
      .then(() => {
        this.#next = null;
        this.#reading = this.agents.caughtUp();
        return this.#reading;
      });
    return this.#next;
  }
}

function isFor({ agents }: Asking, agentId: string): boolean {
  return agents === null || agents.has(agentId);
}

/** `false`: not within this time, ms. Rejects as `work` does. */
async function within(milliseconds: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}
