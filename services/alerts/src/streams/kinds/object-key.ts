import { createHash } from 'node:crypto';
import type { SentRecord } from './sent-record.js';

/** The problem of a prefix of keys; `null`: there is none. */
export function prefixProblem(prefix: string): string | null {
  const names = prefix.replace(/\/$/, '').split('/');
  const isGood = prefix === '' || names.every((name) => name !== '' && name !== '.' && name !== '..');
  return isGood ? null : 'settings.prefix must be names with one / between them, none of them . or ..';
}

/**
 * Key of the object of a batch: `<prefix>/<year>/<month>/<day>/<stream>/<first event>-<events>-<digest><suffix>`. The day is that
 * of the first event, in UTC, and the digest is that of all ids of events: the same batch has the same key, at any time.
 */
export function objectKey(
  batch: readonly SentRecord[],
  { prefix, streamId, suffix }: { readonly prefix: string; readonly streamId: string; readonly suffix: string },
): string {
  const [first] = batch;
  if (first === undefined) throw new Error('an object holds one event at least');
  const digest = createHash('sha256')
    .update(batch.map(({ eventId }) => eventId).join('\n'))
    .digest('hex');
  const day = new Date(first.occurredAt).toISOString().slice(0, 10).replaceAll('-', '/');
  const name = `${first.eventId}-${batch.length}-${digest.slice(0, 16)}${suffix}`;
  return [...(prefix === '' ? [] : [prefix.replace(/\/$/, '')]), day, streamId, name].join('/');
}
