import { setTimeout as sleep } from 'node:timers/promises';
import type { ReportRecord } from '@countersign/contracts';
import type { Answer } from '../api-client/api.js';
import { isEventId } from '../api-client/event-id.js';

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
    if (!isEventId(id)) throw new RangeError(`line ${n + 1} begins with no event id`);
    return [id.toLowerCase()];
  });
  return [...new Set(ids)];
}

/** A stored report, as far as it is shown here. */
export type ShownReport = Pick<ReportRecord, 'id' | 'createdAt' | 'title'>;

const PAGE = 100;

/**
 * The stored reports that erasures of these events withdraw, each once.
 * @param ask sends `GET` for a path
 */
export async function withdrawnBy(
  eventIds: readonly string[],
  ask: (path: string) => Promise<Pick<Answer, 'status' | 'text'>>,
): Promise<{ readonly reports: readonly ShownReport[]; readonly refused: readonly string[] }> {
  const found = new Map<string, ShownReport>();
  const refused: string[] = [];
  for (const eventId of eventIds) {
    for (let offset = 0; ; offset += PAGE) {
      const { status, text } = await ask(`/v1/reports?opens=${eventId}&limit=${PAGE}&offset=${offset}`);
      if (status !== 200) {
        refused.push(`${eventId}: ${status} ${text}`);
        break;
      }
      const { reports, total } = JSON.parse(text) as {
        readonly reports: readonly ShownReport[];
        readonly total: number;
      };
      for (const report of reports) found.set(report.id, report);
      if (reports.length === 0 || offset + reports.length >= total) break;
    }
  }
  return { reports: [...found.values()], refused };
}

/**
 * Erases the content of each event, one at a time; an erasure answered with 503 is retried, up to ten attempts.
 * @param remove sends `DELETE` for a path
 * @param reason committed and shown with each erasure
 * @param pauseMs between two attempts
 */
export async function eraseEvents(
  eventIds: readonly string[],
  remove: (path: string) => Promise<Pick<Answer, 'status' | 'text'>>,
  reason?: string,
  pauseMs = 1_000,
): Promise<Erased> {
  let erased = 0;
  const refused: string[] = [];
  for (const eventId of eventIds) {
    const path = `/v1/events/${eventId}/content${reason === undefined ? '' : `?reason=${encodeURIComponent(reason)}`}`;
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
