import { compatibleText } from '../output/normal-text.js';
import { decodeOnce, decodeUtf8Once, isEncoded } from '../urls/percent-encoding.js';

/** Honest scopes have no more nested percent-encodings than this. */
const MAX_ROUNDS = 4;
const PATH_LIKE = /[/\\%]|^\.\.+$/;
const CONTROL = /[\0-\x1f\x7f]/;
const BEYOND_ASCII = /[^\x00-\x7f]/;
/** Not in any standard, but some readers decode it. */
const UNICODE_ENCODED = /%u[0-9A-F]{4}/i;

/**
 * The readings of a data scope, each decoded once more than the one before, as it is written and in NFKC without
 * invisible characters. A scope that looks like a path in one of them has no `.` and empty segments there, and slashes
 * for backslashes; any other is not decoded. `null` for a path that cannot be judged: it goes up (`..`), has control
 * characters, is encoded too often, or as `%u002e`.
 */
export function scopeReadings(scope: string): readonly string[] | null {
  return readingsOf(scope, (path) => normalPath(path));
}

/** {@link scopeReadings} of an entry: the text before its last `*` may end within a segment, which is left as it is. */
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

/** A folder is the same with and without its last slash. */
export function withoutLastSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

function readingsOf(scope: string, normal: (path: string) => string | null): readonly string[] | null {
  if (!PATH_LIKE.test(scope) && !BEYOND_ASCII.test(scope)) return [scope];
  const readings = new Set<string>();
  let isPath = false;
  let [bytes, text] = [scope, scope];
  for (let round = 0; round <= MAX_ROUNDS; round += 1) {
    const seen = new Set([bytes, text, compatibleText(text)]);
    for (const one of seen) {
      if (UNICODE_ENCODED.test(one)) return null;
      const path = one.replaceAll('\\', '/');
      if (path.includes('/') || goesUp(path)) {
        const reading = CONTROL.test(path) ? null : normal(path);
        if (reading === null) return null;
        readings.add(reading);
        isPath = true;
      } else readings.add(one);
    }
    if (!isEncoded(bytes)) {
      // A percent sign in another form, which NFKC turns into one.
      if ([...seen].some(isEncoded)) return null;
      return isPath ? [...readings] : [...new Set([scope, compatibleText(scope)])];
    }
    bytes = decodeOnce(bytes);
    text = decodeUtf8Once(text);
  }
  return null;
}

/** A path with this ending is a folder's. */
const NAMES_FOLDER = /\/\.?$/;

/** `null` when it goes up. */
function normalPath(path: string): string | null {
  const kept: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '' || segment === '.') continue;
    if (goesUp(segment)) return null;
    kept.push(segment);
  }
  const root = path.startsWith('/') ? '/' : '';
  return kept.length === 0 ? root : `${root}${kept.join('/')}${NAMES_FOLDER.test(path) ? '/' : ''}`;
}

/** `..`, also in the forms that some readers reduce to it: `..;x`, `.. `, `...`. */
function goesUp(segment: string): boolean {
  const name = segment.split(';', 1)[0]!;
  return name.includes('..') && /^[. ]+$/.test(name);
}
