import { setTimeout as sleep } from 'node:timers/promises';
import type { Asked } from '../instance/instance.js';

/** A check and its result for the caller. */
export interface Attempt {
  /** `action.metadata.marker`: identifies the check's event, whatever the answer was. */
  readonly marker: string;
  /** Status of the answer; `null`: none came. */
  readonly status: number | null;
  /** Header `x-event-id`. */
  readonly eventId: string | null;
  /** Body of the answer; empty if none came. */
  readonly text: string;
}

export interface Load {
  /** In the order in which they ended. */
  readonly attempts: readonly Attempt[];
  /** Sends no more checks; resolves when those in flight have ended. */
  stop(): Promise<readonly Attempt[]>;
}

export interface LoadOptions {
  /** Unique among all loads on the instance. */
  readonly name: string;
  /** Concurrent checks; default 64. */
  readonly concurrency?: number;
  /** Pause after each check, ms; default 0. */
  readonly pauseMs?: number;
  /** The action of the n-th check, without its marker. */
  readonly action?: (n: number) => Readonly<Record<string, unknown>>;
}

/** Statuses whose event was durable before the answer. */
const RECORDED: ReadonlySet<number> = new Set([200, 402, 403, 429]);

export function isRecorded({ status }: Attempt): boolean {
  return status !== null && RECORDED.has(status);
}

/** True if the answer says that nothing was recorded. */
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
