import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../api-client/api.js';

const EVENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const MAX_ATTEMPTS = 10;

/** Result of a list of erasures. */
export interface Erased {
  readonly erased: number;
  /** One line each: the event and the reason. */
  readonly refused: readonly string[];
}

/**
 * Reads the event ids of a list: one per line; text after a blank, empty lines and lines that begin with # are ignored.
 * @throws RangeError naming the first line that holds none
 */
export function readEventIds(text: string): readonly string[] {
  const ids = text.split(/\r?\n/).flatMap((line, n) => {
    const [id = ''] = line.trim().split(/\s+/);
    if (id === '' || id.startsWith('#')) return [];
    if (!EVENT_ID.test(id)) throw new RangeError(`line ${n + 1} begins with no event id`);
    return [id.toLowerCase()];
  });
  return [...new Set(ids)];
}

/**
 * Erases the content of each event, one at a time; an erasure answered with 503 is retried, up to ten attempts.
 * @param remove sends `DELETE` for a path
 * @param pauseMs between two attempts
 */
export async function eraseEvents(
  eventIds: readonly string[],
  remove: (path: string) => Promise<Pick<Answer, 'status' | 'text'>>,
  pauseMs = 1_000,
): Promise<Erased> {
  let erased = 0;
  const refused: string[] = [];
  for (const eventId of eventIds) {
    const path = `/v1/events/${eventId}/content`;
    let answer = await remove(path);
    for (let attempts = 1; answer.status === 503 && attempts < MAX_ATTEMPTS; attempts += 1) {
      await sleep(pauseMs);
      answer = await remove(path);
    }
    if (answer.status === 204) erased += 1;
    else refused.push(`${eventId}: ${answer.status} ${answer.text}`);
  }
  return { erased, refused };
}
