import { setTimeout as delay } from 'node:timers/promises';
import type { BrokerAccess } from './access.js';
import { Links, NotAccepted } from './link.js';
import type { Link } from './link.js';

const ASK_MS = 3000;
const LONGEST_BACK_OFF_MS = 1000;
const WATCH_MS = 2000;
/** Pause while no broker answers: callers wait for the next request as well. */
const MISSING_MS = 250;
/** After this silence of one broker the next one is asked too. */
const NEXT_BROKER_MS = 500;

interface Metadata {
  readonly brokers: readonly { nodeId: number; host: string; port: number }[];
  readonly controllerId: number;
  readonly topicMetadata: readonly {
    topicErrorCode: number;
    topic: string;
    partitionMetadata: readonly { partitionId: number; leader: number; replicas: readonly number[] }[];
  }[];
}

export interface TopicView {
  /** Address of the leader by partition, `null` while there is none. */
  readonly leaders: readonly (string | null)[];
  /** Smallest number of replicas of any partition. */
  readonly replicas: number;
}

const UNKNOWN_TOPIC = 3;

/** The leader of each partition, by the brokers' last answer. */
export class ClusterView {
  readonly #bootstrap: readonly string[];
  readonly #topics: readonly string[];
  readonly #links: Links;
  #known: readonly string[] = [];
  #answered: string | null = null;
  #refreshed: () => void = () => undefined;
  #views = new Map<string, TopicView>();
  #controller: string | null = null;
  #refreshing: Promise<void> | null = null;
  #problem: string | null = null;
  #failures = 0;
  #watch: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(bootstrap: readonly string[], access: BrokerAccess, topics: readonly string[]) {
    this.#bootstrap = bootstrap;
    this.#topics = topics;
    this.#links = new Links(access);
  }

  /** Error of the last request, or `null`. */
  problem(): string | null {
    return this.#problem;
  }

  brokers(): readonly string[] {
    return this.#known;
  }

  /** `null` when the topic does not exist. */
  topic(name: string): TopicView | null {
    return this.#views.get(name) ?? null;
  }

  leader(topic: string, partition: number): string | null {
    return this.#views.get(topic)?.leaders[partition] ?? null;
  }

  /** `listener` is called after each answer of the brokers. */
  onRefresh(listener: () => void): void {
    this.#refreshed = listener;
  }

  /** A connection for short requests to any broker: the last one that answered. */
  any(): Link {
    return this.#links.to(this.#answered ?? this.#bootstrap[0] ?? '');
  }

  /** A connection for short requests to one broker, by its address. */
  to(address: string): Link {
    return this.#links.to(address);
  }

  controller(): Link {
    return this.#controller === null ? this.any() : this.#links.to(this.#controller);
  }

  /**
   * Requests fresh metadata, once for concurrent callers. Rejects when no broker answers: `NotAccepted` names the
   * reason.
   */
  refresh(): Promise<void> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = null;
    });
    return this.#refreshing;
  }

  /** As `refresh`, after a back-off; never rejects. */
  async refreshSoon(): Promise<void> {
    const pause = Math.min(LONGEST_BACK_OFF_MS, 25 * 2 ** this.#failures);
    await delay(pause, undefined, { ref: false });
    await this.refresh().catch(() => undefined);
  }

  /** Polls, so that `problem` is current even when the view is not used. */
  watch(): void {
    const next = (): void => {
      if (!this.#closed) this.#watch = setTimeout(look, this.#problem === null ? WATCH_MS : MISSING_MS).unref();
    };
    const look = (): void => void this.refresh().then(next, next);
    this.#watch = setTimeout(look, WATCH_MS).unref();
  }

  close(): void {
    this.#closed = true;
    if (this.#watch !== null) clearTimeout(this.#watch);
    this.#links.close();
  }

  async #refresh(): Promise<void> {
    try {
      this.#take(await this.#askBrokers());
      this.#problem = null;
      this.#failures = 0;
    } catch (error) {
      this.#failures++;
      this.#problem = (error as Error).message;
      throw error;
    }
    this.#refreshed();
  }

  /** The first answer of the brokers, asked one after the other; a slow one may still be the first. */
  #askBrokers(): Promise<Metadata> {
    const last = this.#answered === null ? [] : [this.#answered];
    const left = [...new Set([...last, ...this.#known, ...this.#bootstrap])];
    const failures: Error[] = [];
    const options = { topics: this.#topics, allowAutoTopicCreation: false };
    let open = 0;
    return new Promise((resolve, reject) => {
      const askNext = (): void => {
        const address = left.shift();
        if (address === undefined) {
          if (open === 0) reject(meaningOf(failures));
          return;
        }
        open++;
        const silent = setTimeout(askNext, NEXT_BROKER_MS);
        const answer = this.#links.to(address).ask<Metadata>('Metadata', options, ASK_MS);
        void answer
          .then(
            (metadata) => {
              left.length = 0;
              this.#answered = address;
              resolve(metadata);
            },
            (error: unknown) => {
              failures.push(error as Error);
              open--;
              askNext();
            },
          )
          .finally(() => clearTimeout(silent));
      };
      askNext();
    });
  }

  #take(metadata: Metadata): void {
    const addresses = new Map(metadata.brokers.map(({ nodeId, host, port }) => [nodeId, `${host}:${port}`]));
    this.#known = [...addresses.values()];
    this.#controller = addresses.get(metadata.controllerId) ?? null;
    const views = new Map<string, TopicView>();
    for (const { topic, topicErrorCode, partitionMetadata } of metadata.topicMetadata) {
      if (topicErrorCode === UNKNOWN_TOPIC || partitionMetadata.length === 0) continue;
      const leaders: (string | null)[] = partitionMetadata.map(() => null);
      for (const { partitionId, leader } of partitionMetadata) leaders[partitionId] = addresses.get(leader) ?? null;
      views.set(topic, { leaders, replicas: Math.min(...partitionMetadata.map(({ replicas }) => replicas.length)) });
    }
    this.#views = views;
  }
}

function meaningOf(failures: readonly Error[]): Error {
  const refusal = failures.find((failure) => failure instanceof NotAccepted);
  return refusal ?? new Error(`no Kafka broker answers: ${failures.map(({ message }) => message).join('; ')}`);
}
