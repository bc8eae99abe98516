import { setTimeout as sleep } from 'node:timers/promises';
import type { Countersign } from './countersign.js';
import { json, open } from './http.js';

interface Page {
  readonly events: readonly { readonly anchored: boolean }[];
  readonly total: number;
}

/** Number of listed checks, and whether the newest of all events is anchored. */
export interface Followed {
  readonly checks: number;
  readonly anchored: boolean;
}

/** Time of the followers after the last answer, s. */
export interface CatchUp {
  /** Number of listed checks now. */
  readonly checks: number;
  readonly listed: number;
  readonly anchored: number;
}

export async function followed(instance: Countersign, session: { readonly authorization: string }): Promise<Followed> {
  const { baseUrl } = instance.bootstrap;
  const { total } = await json<Page>(baseUrl, 'GET', '/v1/events?type=action.checked&limit=1', session);
  const newest = await json<Page>(baseUrl, 'GET', '/v1/events?limit=1', session);
  const waiting = await windowsWaiting(baseUrl);
  return { checks: total, anchored: waiting === 0 && newest.events.every(({ anchored }) => anchored) };
}

async function windowsWaiting(baseUrl: string): Promise<number> {
  const { stream } = await open(baseUrl, 'GET', '/metrics', {});
  let text = '';
  for await (const chunk of stream as AsyncIterable<Buffer>) text += chunk.toString('utf8');
  return Number(/^countersign_anchor_windows_waiting (\d+)/m.exec(text)?.[1] ?? Number.NaN);
}

/** Number of answered checks; of the unanswered ones, any may be listed as well. */
export interface Expected {
  readonly answered: number;
  readonly unanswered: number;
}

/** Readings without a change after which no more unanswered checks are expected. */
const STEADY = 25;

/**
 * Waits until every answered check is listed and everything is anchored.
 * @throws if more are listed than were sent, or it takes longer than `seconds`
 */
export async function catchUp(
  instance: Countersign,
  session: { readonly authorization: string },
  { answered, unanswered }: Expected,
  seconds: number,
): Promise<CatchUp> {
  const begunAt = performance.now();
  let listed: number | null = null;
  let steady = 0;
  let before = -1;
  for (;;) {
    const { checks, anchored } = await followed(instance, session);
    const elapsed = (performance.now() - begunAt) / 1000;
    if (checks > answered + unanswered) throw new Error(`${checks} checks are listed, ${answered} were answered`);
    steady = checks === before ? steady + 1 : 0;
    if (checks >= answered && before < checks) listed = elapsed;
    before = checks;
    const complete = checks === answered + unanswered || (checks >= answered && steady >= STEADY);
    if (complete && listed !== null && anchored) return { checks, listed, anchored: elapsed };
    if (elapsed > seconds) {
      const state = `${checks} of ${answered} checks are listed, anchored: ${String(anchored)}`;
      throw new Error(`the followers did not catch up within ${seconds} s: ${state}`);
    }
    await sleep(20);
  }
}
