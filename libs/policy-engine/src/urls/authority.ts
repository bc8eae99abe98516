/** User information, host and port of any URL that resolves are shorter. */
const MOST_AUTHORITY = 1024;
/** Beyond ASCII: parsing a host of n combining marks takes n² steps. */
const MOST_BEYOND_ASCII = 253;
const ASCII = /^[\0-\x7f]*$/;

/** Reports whether it is too long to name a host. */
export function isTooLong(authority: string): boolean {
  const { length } = authority;
  return length > MOST_BEYOND_ASCII && (length > MOST_AUTHORITY || !ASCII.test(authority));
}

/** Characters of user information in RFC 3986. */
const USER_INFORMATION = /^(?:[A-Za-z0-9._~!$&'()*+,;=:-]|%[0-9A-Fa-f]{2})*$/;
const HOST_AND_PORT = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]*)(?::\d{0,5})?$/;
const ASCII_HOST = /^[A-Za-z0-9._-]+$/;
/**
 * Letters and marks that IDNA 2003, IDNA 2008 and UTS #46 leave unchanged, except `ß` and `ς`. Letters beyond ASCII are
 * accepted only in lower case, since the three differ in how they fold; Cherokee and U+1C80 to U+1C8F fold later.
 */
const UNCHANGED_HOST =
  /^(?:[A-Za-z0-9._-]|(?![\p{Script=Cherokee}\p{Default_Ignorable_Code_Point}\u1c80-\u1c8f])[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}])+$/u;

/**
 * The host of an authority that every client reads alike, or why they do not: the rest of a sentence that begins with
 * the URL. Clients differ about which `@` ends user information (the first, the last), what is decoded in a host, and
 * which letters are mapped to others.
 */
export function authorityProblem(authority: string): { readonly host: string } | string {
  if (authority === '') return 'names no host';
  if (isTooLong(authority)) return 'names a host that is too long';
  const at = authority.indexOf('@');
  if (at !== authority.lastIndexOf('@')) return 'has more than one @ before its path';
  if (at >= 0 && !USER_INFORMATION.test(authority.slice(0, at))) return 'has user information that is not encoded';
  const [, host] = HOST_AND_PORT.exec(authority.slice(at + 1)) ?? [];
  if (host === undefined) return 'has a host or port that does not parse';
  if (host === '') return 'names no host';
  if (host.startsWith('[') || ASCII_HOST.test(host)) return { host };
  if (host.includes('%')) return 'has an encoded character in its host, which some clients decode';
  if (UNCHANGED_HOST.test(host) && host.normalize('NFKC') === host) return { host };
  return 'has a character in its host that clients read differently: write the host in lower case, or as xn--';
}
