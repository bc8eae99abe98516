/** `PATH_MAX` of Linux: no longer path is opened. */
const MAX_PATH = 4096;

/**
 * The segments of an absolute POSIX path: after one percent-decoding (RFC 3986, section 2.1; a `%` without two
 * hexadecimal digits stands for itself), without empty and `.` segments, and with `..` resolved. `null` for a relative
 * path, one with a backslash or NUL, also encoded, and for encoded bytes that are not UTF-8.
 */
function pathSegments(text: string): readonly string[] | null {
  if (text.length > MAX_PATH || !text.startsWith('/')) return null;
  const path = decoded(text);
  if (path === null || path.includes('\\') || path.includes('\0')) return null;
  const segments: string[] = [];
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop();
    else if (segment !== '' && segment !== '.') segments.push(segment);
  }
  return segments;
}

function decoded(text: string): string | null {
  if (!text.includes('%')) return text;
  try {
    return decodeURIComponent(text.replace(/%(?![0-9A-Fa-f]{2})/g, '%25'));
  } catch {
    return null;
  }
}

/** A path that stands for itself: no segment begins with a dot, and nothing is encoded. Longer ones are read in parts. */
const AS_IT_STANDS = /^(?:\/[^/%\\\0.][^/%\\\0]*)+$/;
const MOST_PLAIN = 1024;

/**
 * Compiles `under(path, folders)`. @returns a function that reports whether a path is one of the folders or below one
 * @throws RangeError for a folder that is not an absolute path
 */
export function compileUnder(folders: readonly string[]): (path: string) => boolean {
  const all = folders.map((folder) => {
    const segments = pathSegments(folder);
    if (segments === null) throw new RangeError('names a folder that is not an absolute path: write /srv/data');
    return segments;
  });
  const texts = all.map((segments) => `/${segments.join('/')}`);
  const begins = texts.map((folder) => (folder === '/' ? '/' : `${folder}/`));
  return (path) => {
    if (path.length <= MOST_PLAIN && AS_IT_STANDS.test(path)) {
      return texts.includes(path) || begins.some((begin) => path.startsWith(begin));
    }
    const segments = pathSegments(path);
    return segments !== null && all.some((folder) => folder.every((name, at) => segments[at] === name));
  };
}
