import { decodeOnce, isEncoded } from '../urls/percent-encoding.js';

/** More rounds of percent-encoding inside each other than this are in no honest scope. */
const MAX_ROUNDS = 4;
const PATH_LIKE = /[/\\%]|^\.\.+$/;
const CONTROL = /[\0-\x1f\x7f]/;

/**
 * What readers may see in a data scope, each reading once more decoded than the one before. A scope that looks like a
 * path has no `.` and empty segments in them, and slashes for backslashes; any other is itself alone.
 * `null` for a path that cannot be judged: it goes up (`..`), has control characters, or is encoded too often.
 */
export function scopeReadings(scope: string): readonly string[] | null {
  return readingsOf(scope, (path) => normalPath(path));
}

/** {@link scopeReadings} of an entry: what its last `*` stands behind is the beginning of a segment, and is left as it is. */
export function entryReadings(entry: string): readonly string[] | null {
  if (!entry.endsWith('*')) {
    const readings = scopeReadings(entry);
    return readings?.map(withoutLastSlash) ?? null;
  }
  const readings = readingsOf(entry.slice(0, -1), (path) => {
    const begun = path.lastIndexOf('/') + 1;
    const folder = normalPath(path.slice(0, begun));
    return folder === null ? null : folder + path.slice(begun);
  });
  return readings?.map((reading) => `${reading}*`) ?? null;
}

/** A folder is the same with its last slash and without. */
export function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function readingsOf(scope: string, normal: (path: string) => string | null): readonly string[] | null {
  if (!PATH_LIKE.test(scope)) return [scope];
  const readings: string[] = [];
  let isPath = false;
  let text = scope;
  for (let round = 0; round <= MAX_ROUNDS; round += 1) {
    const path = text.replaceAll('\\', '/');
    if (path.includes('/') || goesUp(path)) {
      const reading = CONTROL.test(path) ? null : normal(path);
      if (reading === null) return null;
      readings.push(reading);
      isPath = true;
    } else readings.push(text);
    if (!isEncoded(text)) return isPath ? readings : [scope];
    text = decodeOnce(text);
  }
  return null;
}

/** `null` when it goes up. */
function normalPath(path: string): string | null {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (goesUp(segment)) return null;
    kept.push(segment);
  }
  const root = path.startsWith('/') ? '/' : '';
  return kept.length === 0 ? root : `${root}${kept.join('/')}${path.endsWith('/') ? '/' : ''}`;
}

/** `..`, also as some readers cut it out: `..;x`, `.. `, `...`. */
function goesUp(segment: string): boolean {
  const name = segment.split(';', 1)[0]!;
  return name.includes('..') && /^[. ]+$/.test(name);
}
