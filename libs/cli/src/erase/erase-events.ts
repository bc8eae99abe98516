import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from '../api-client/api.js';

const EVENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
const TRIES = 10;

/** What became of a list of erasures. */
export interface Erased {
  readonly erased: number;
  /** One line each: the event and why not. */
  readonly refused: readonly string[];
}

/**
 * The event ids of a list: one a line, what follows a blank is left out, as are empty lines and those that begin with #.
 * @throws RangeError naming the first line that is none
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
 * Erases the content of each event, one at a time; what the service says to ask again for is asked again, ten times.
 * @param remove sends `DELETE` for a path
 * @param pauseMs before it asks again
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
    for (let tries = 1; answer.status === 503 && tries < TRIES; tries += 1) {
      await sleep(pauseMs);
      answer = await remove(path);
    }
    if (answer.status === 204) erased += 1;
    else refused.push(`${eventId}: ${answer.status} ${answer.text}`);
  }
  return { erased, refused };
}
