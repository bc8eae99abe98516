import { isAlphanumeric, isLetter } from './characters.js';

/** RFC 5321 section 4.5.3.1. */
const MOST_LOCAL = 64;
const MOST_DOMAIN = 255;
const DOT = 0x2e;
const LOCAL_SIGNS = "!#$%&'*+-/=?^_`{|}~.";

/**
 * E-mail addresses with a domain name: a dot-atom (RFC 5322 section 3.2.3), `@`, labels, a top level of two letters or
 * more. `at` is the index of the `@`. Not a user of a host that is followed by a path.
 */
export function emailEnd(text: string, at: number): number {
  if (text.charCodeAt(at - 1) === DOT) return 0;
  let start = at;
  while (at - start < MOST_LOCAL && isLocal(text.charCodeAt(start - 1))) start -= 1;
  if (start === at) return 0;
  const end = domainEnd(text, at + 1);
  return end > 0 && isRemotePath(text, start, at, end) ? 0 : end;
}

/** The user of a repository: `git@host:path`, `ssh://git@host/path`. */
const REPOSITORY_USER = /(?:^|\/)(?:git|hg|svn)$/;

/** A path, or the prompt of a shell, also where the `~` of its home was removed as markdown. */
const PATH_OR_PROMPT = /^(?:[/~]|[#$](?:\s|$))/;

/**
 * Reports whether a path on a host follows, as `git` and `scp` write it, so that the part before the `@` is a user of
 * the host.
 */
function isRemotePath(text: string, start: number, at: number, end: number): boolean {
  const next = text.charAt(end);
  if (next !== ':' && next !== '/') return false;
  const after = text.slice(end + 1, end + 3);
  if (next === ':' && PATH_OR_PROMPT.test(after)) return true;
  return /^\S/.test(after) && REPOSITORY_USER.test(text.slice(start, at));
}

function isLocal(code: number): boolean {
  return isAlphanumeric(code) || code > 0xa0 || LOCAL_SIGNS.includes(String.fromCharCode(code));
}

/** The end of the domain name that begins at `from`; 0 when there is none. */
function domainEnd(text: string, from: number): number {
  const limit = Math.min(text.length, from + MOST_DOMAIN);
  let end = 0;
  let label = from;
  let letters = true;
  for (let at = from; at <= limit; at += 1) {
    const code = text.charCodeAt(at);
    if (at < limit && (isAlphanumeric(code) || code === 0x2d || code > 0xa0)) {
      if (!isLetter(code) && code <= 0xa0) letters = false;
      continue;
    }
    const length = at - label;
    if (length === 0 || length > 63 || text.charCodeAt(label) === 0x2d) break;
    const topLevel = label > from && length >= 2 && (letters || text.slice(label, label + 4).toLowerCase() === 'xn--');
    if (topLevel) end = at;
    if (code !== DOT) break;
    label = at + 1;
    letters = true;
  }
  return end;
}
