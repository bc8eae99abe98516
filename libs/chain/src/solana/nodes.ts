import { setTimeout as sleep } from 'node:timers/promises';
import { ChainRejected, ChainUnavailable } from '../errors.js';
import { classifyError, HttpFailure } from './classify-error.js';

const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 8_000;
/** Maximum delay that a node can request, ms. */
const LONGEST_WISH_MS = 60_000;

/** State of one node. */
interface NodeState<Client> {
  readonly client: Client;
  verified: boolean;
  /** Its genesis hash is another: never used again. */
  foreign: boolean;
  failures: number;
  /** Not used before this time while another node is available. */
  restUntilMs: number;
  /** It requested not to be used before this time (`Retry-After`). */
  wishUntilMs: number;
}

export interface NodesOptions<Client> {
  readonly clients: readonly Client[];
  readonly genesisHash: (client: Client) => Promise<string>;
  /** Nodes of another network are refused; without it the first that answers decides. */
  readonly expectedGenesisHash: string | null;
  /** Timeout of a call over all nodes, ms. */
  readonly deadlineMs: number;
}

/** Several nodes of one network: the first healthy one is asked, the next when it fails, all again after a pause. */
export class Nodes<Client> {
  readonly #states: NodeState<Client>[];
  readonly #options: NodesOptions<Client>;
  readonly #closing = new AbortController();
  #preferred = 0;
  #genesisHash: string | null;

  constructor(options: NodesOptions<Client>) {
    this.#options = options;
    this.#genesisHash = options.expectedGenesisHash;
    this.#states = options.clients.map((client) => ({
      client,
      verified: false,
      foreign: false,
      failures: 0,
      restUntilMs: 0,
      wishUntilMs: 0,
    }));
  }

  /**
   * The answer of the first node that gives one.
   * @throws ChainRejected as soon as a node refuses; ChainUnavailable when the deadline passes
   */
  async ask<T>(question: (client: Client) => Promise<T>): Promise<T> {
    const deadline = Date.now() + this.#options.deadlineMs;
    let last = new ChainUnavailable('network', 'No node was asked');
    for (;;) {
      for (const state of this.#inOrder()) {
        if (state.wishUntilMs > Date.now()) {
          last = new ChainUnavailable('rate-limited', 'The node asked not to be asked for a while');
          continue;
        }
        try {
          return await this.#askOne(state, question);
        } catch (error) {
          if (error instanceof ChainRejected) throw error;
          last = error as ChainUnavailable;
        }
        if (Date.now() >= deadline) throw last;
      }
      const pause = this.#pauseMs();
      if (pause === null || Date.now() + pause >= deadline) throw last;
      try {
        await sleep(pause, undefined, { signal: this.#closing.signal });
      } catch {
        throw last;
      }
    }
  }

  /**
   * As `ask`; but while the answer is not `enough`, the other nodes are asked once as well. A node that refuses (it may
   * keep less history than another) does not end the search.
   * @throws ChainRejected, ChainUnavailable where no node answers: the error of the first one
   */
  async askUntil<T>(question: (client: Client) => Promise<T>, enough: (answer: T) => boolean): Promise<T[]> {
    const tried: { last: Client | null } = { last: null };
    const answers: T[] = [];
    let refusal: ChainRejected | null = null;
    try {
      answers.push(
        await this.ask((client) => {
          tried.last = client;
          return question(client);
        }),
      );
    } catch (error) {
      if (!(error instanceof ChainRejected)) throw error;
      refusal = error;
    }
    const first = tried.last;
    for (const state of this.#inOrder()) {
      if (answers.length > 0 && enough(answers.at(-1) as T)) break;
      if (state.client === first || state.restUntilMs > Date.now()) continue;
      try {
        answers.push(await this.#askOne(state, question));
      } catch {
        // Its answer was only an addition to another node's.
      }
    }
    if (refusal !== null && answers.length === 0) throw refusal;
    return answers;
  }

  close(): void {
    this.#closing.abort();
  }

  async #askOne<T>(state: NodeState<Client>, question: (client: Client) => Promise<T>): Promise<T> {
    if (this.#closing.signal.aborted) throw new ChainUnavailable('network', 'The chain was closed');
    try {
      const answer = await this.#bounded(async () => {
        await this.#verify(state);
        return question(state.client);
      });
      state.failures = 0;
      state.restUntilMs = 0;
      this.#preferred = this.#states.indexOf(state);
      return answer;
    } catch (error) {
      const classified = classifyError(error);
      if (classified instanceof ChainUnavailable) {
        state.failures += 1;
        const pause = Math.min(FIRST_PAUSE_MS * 2 ** (state.failures - 1), LONGEST_PAUSE_MS);
        const wish = classified.cause instanceof HttpFailure ? classified.cause.retryAfterMs : null;
        if (wish !== null) state.wishUntilMs = Date.now() + Math.min(wish, LONGEST_WISH_MS);
        state.restUntilMs = Math.max(state.wishUntilMs, Date.now() + pause * (0.75 + Math.random() / 2));
      }
      throw classified;
    }
  }

  /** Requests have their own timeouts; this bounds what the driver makes of them. */
  async #bounded<T>(work: () => Promise<T>): Promise<T> {
    const timer = new AbortController();
    const late = sleep(this.#options.deadlineMs, undefined, { signal: timer.signal }).then(() => {
      throw new ChainUnavailable('timeout', 'The node did not answer in time');
    });
    try {
      return await Promise.race([work(), late]);
    } finally {
      timer.abort();
      late.catch(() => undefined);
    }
  }

  async #verify(state: NodeState<Client>): Promise<void> {
    if (state.verified) return;
    const genesisHash = await this.#options.genesisHash(state.client);
    this.#genesisHash ??= genesisHash;
    state.foreign = genesisHash !== this.#genesisHash;
    if (state.foreign) throw new ChainUnavailable('wrong-network', 'A node is of another network than it should be');
    state.verified = true;
  }

  /** Available nodes first, from the one that answered last; paused ones last. */
  #inOrder(): NodeState<Client>[] {
    const now = Date.now();
    const { length } = this.#states;
    const rotated = this.#states.map((_, i) => this.#states[(this.#preferred + i) % length] as NodeState<Client>);
    const ours = rotated.filter(({ foreign }) => !foreign);
    return [...ours.filter((one) => one.restUntilMs <= now), ...ours.filter((one) => one.restUntilMs > now)];
  }

  /** Time until the first node is available; `null` when there is none. */
  #pauseMs(): number | null {
    const ours = this.#states.filter(({ foreign }) => !foreign);
    if (ours.length === 0) return null;
    return Math.max(10, Math.min(...ours.map((one) => one.restUntilMs)) - Date.now());
  }
}
