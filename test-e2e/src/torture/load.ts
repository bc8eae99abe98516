import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked } from '../instance/instance.js';

/** A check and what became of it, as its caller knows it. */
export interface Attempt {
  /** `action.metadata.marker`: finds the check's event whatever the answer was. */
  readonly marker: string;
  /** The answer's status; `null`: none came. */
  readonly status: number | null;
  /** Header `x-event-id`. */
  readonly eventId: string | null;
  /** The answer's body; empty where none came. */
  readonly text: string;
}

export interface Load {
  /** In the order in which they ended. */
  readonly attempts: readonly Attempt[];
  /** No new checks; resolves when those under way have ended. */
  stop(): Promise<readonly Attempt[]>;
}

export interface LoadOptions {
  /** Unique among all loads on the instance. */
  readonly name: string;
  /** Checks under way at once; default 64. */
  readonly concurrency?: number;
  /** So long after each check, ms; default 0. */
  readonly pauseMs?: number;
  /** The action of the n-th check, without its marker. */
  readonly action?: (n: number) => Readonly<Record<string, unknown>>;
}

/** Recorded for certain: the statuses whose event was durable before the answer. */
const RECORDED: ReadonlySet<number> = new Set([200, 402, 403, 429]);

export function isRecorded({ status }: Attempt): boolean {
  return status !== null && RECORDED.has(status);
}

/** Answered in a way that says that nothing was recorded. */
export function isDefinitelyNot({ status, eventId }: Attempt): boolean {
  return status !== null && !RECORDED.has(status) && eventId === null;
}

/** Sends checks until it is stopped or the instance no longer answers. */
export function startLoad(instance: Asked, options: LoadOptions): Load {
  const { name, concurrency = 64, pauseMs = 0 } = options;
  const action = options.action ?? ((n) => ({ type: 'http_call', url: `https://api.example.com/orders/${n}` }));
  const attempts: Attempt[] = [];
  let next = 0;
  let stopped = false;
  const worker = async (): Promise<void> => {
    while (!stopped) {
      const n = next++;
      const marker = `${name}-${n}`;
      try {
        const { status, headers, text } = await instance.check({ ...action(n), metadata: { marker } });
        const eventId = headers['x-event-id'];
        attempts.push({ marker, status, eventId: typeof eventId === 'string' ? eventId : null, text });
      } catch {
        attempts.push({ marker, status: null, eventId: null, text: '' });
        return;
      }
      if (pauseMs > 0) await sleep(pauseMs);
    }
  };
  const workers = Promise.all(Array.from({ length: concurrency }, worker));
  return {
    attempts,
    async stop() {
      stopped = true;
      await workers;
      return attempts;
    },
  };
}
