import type { MessagePort } from 'node:worker_threads';
import { messageOf } from '@countersign/async';
import { CountersUnavailable } from '../port.js';
import type { Counters } from '../port.js';
import type { InProcessCounters } from './in-process-counters.js';

/** Methods that another thread may call; `unavailable` is pushed and `close` ends only the bridge. */
type Method = Exclude<keyof Counters, 'unavailable' | 'close'>;

interface Call {
  readonly id: number;
  readonly method: Method;
  readonly values: readonly unknown[];
}
type Reply =
  | { readonly kind: 'state'; readonly unavailable: string | null }
  | { readonly kind: 'value'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly unavailable: boolean; readonly message: string };

/** Serves this thread's counters to the thread at the other end of the port, until that end closes. */
export function serveCounters(counters: InProcessCounters, port: MessagePort): void {
  const methods = counters as unknown as Record<Method, (...values: readonly unknown[]) => Promise<unknown>>;
  const reply = (message: Reply) => port.postMessage(message);
  const unwatch = counters.watch((unavailable) => reply({ kind: 'state', unavailable }));
  port.on('close', unwatch);
  port.on('message', ({ id, method, values }: Call) => {
    methods[method](...values).then(
      (value) => reply({ kind: 'value', id, value }),
      (error: unknown) => {
        const message = messageOf(error);
        reply({ kind: 'error', id, unavailable: error instanceof CountersUnavailable, message });
      },
    );
  });
  reply({ kind: 'state', unavailable: counters.unavailable() });
}

/**
 * The counters of another thread. Calls keep their order. When the other end is closed, checks are `unavailable` and
 * everything else rejects with `CountersUnavailable`. `close` closes this end only.
 */
export function connectCounters(port: MessagePort): Counters {
  const waiting = new Map<number, { resolve: (value: never) => void; reject: (reason: Error) => void }>();
  let last = 0;
  let unavailable: string | null = 'the counters have not answered yet';
  let gone: string | null = null;
  const end = (reason: string) => {
    gone ??= reason;
    unavailable = gone;
    for (const { reject } of waiting.values()) reject(new CountersUnavailable(gone));
    waiting.clear();
  };
  port.on('close', () => end('the thread of the counters has ended'));
  port.on('message', (message: Reply) => {
    if (message.kind === 'state') {
      unavailable = message.unavailable;
      return;
    }
    const call = waiting.get(message.id);
    waiting.delete(message.id);
    if (message.kind === 'value') call?.resolve(message.value as never);
    else call?.reject(message.unavailable ? new CountersUnavailable(message.message) : new Error(message.message));
  });
  const ask = <T>(method: Method, ...values: readonly unknown[]): Promise<T> => {
    if (gone !== null) return Promise.reject(new CountersUnavailable(gone));
    return new Promise<T>((resolve, reject) => {
      waiting.set(++last, { resolve, reject });
      port.postMessage({ id: last, method, values } satisfies Call);
    });
  };
  return {
    unavailable: () => unavailable,
    now: () => ask('now'),
    check: async (trip) => {
      try {
        return await ask('check', trip);
      } catch (error) {
        if (error instanceof CountersUnavailable) return { kind: 'unavailable', reason: error.message };
        throw error;
      }
    },
    answered: (...values) => ask('answered', ...values),
    takeBack: (...values) => ask('takeBack', ...values),
    giveBack: (...values) => ask('giveBack', ...values),
    giveBackHeld: (...values) => ask('giveBackHeld', ...values),
    decideApproval: (...values) => ask('decideApproval', ...values),
    raise: (...values) => ask('raise', ...values),
    version: (...values) => ask('version', ...values),
    freeze: (...values) => ask('freeze', ...values),
    unfreeze: (...values) => ask('unfreeze', ...values),
    isFrozen: (...values) => ask('isFrozen', ...values),
    usage: (...values) => ask('usage', ...values),
    answerOf: (...values) => ask('answerOf', ...values),
    useOnce: (...values) => ask('useOnce', ...values),
    claims: () => ask('claims'),
    agentUsage: (...values) => ask('agentUsage', ...values),
    ruleBalances: (...values) => ask('ruleBalances', ...values),
    beginRebuild: () => ask('beginRebuild'),
    abandonRebuild: () => ask('abandonRebuild'),
    restore: (...values) => ask('restore', ...values),
    replay: (...values) => ask('replay', ...values),
    serve: () => ask('serve'),
    close: async () => {
      end('the counters are closed');
      port.close();
    },
  };
}
