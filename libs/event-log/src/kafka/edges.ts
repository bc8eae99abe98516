import { setTimeout as delay } from 'node:timers/promises';
import type { ClusterView } from './cluster-view.js';
import { edgeOffsets } from './offsets.js';

const GATHER_MS = 2;

export interface Edges {
  readonly begin: Readonly<Record<number, number>>;
  readonly end: Readonly<Record<number, number>>;
}

/** First and end offsets of topics; callers within two milliseconds share one request, sent after all of them. */
export class EdgeFinder {
  readonly #cluster: ClusterView;
  readonly #waiting = new Map<string, Promise<Edges>>();

  constructor(cluster: ClusterView) {
    this.#cluster = cluster;
  }

  of(topic: string): Promise<Edges> {
    let question = this.#waiting.get(topic);
    if (question === undefined) {
      question = this.#ask(topic);
      this.#waiting.set(topic, question);
    }
    return question;
  }

  async #ask(topic: string): Promise<Edges> {
    await delay(GATHER_MS);
    this.#waiting.delete(topic);
    const [begin, end] = await Promise.all([
      edgeOffsets(this.#cluster, topic, 'begin'),
      edgeOffsets(this.#cluster, topic, 'end'),
    ]);
    return { begin, end };
  }
}
