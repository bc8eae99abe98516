/** DNS names have at most 253 characters; longer ones reach nothing. */
export const MOST_HOST = 253;

/**
 * One spelling for each host: a host name as the URL standard gives it (`URL.hostname`), without a trailing dot, and an
 * IPv6 address that embeds an IPv4 address (mapped, translated, compatible, NAT64) as that IPv4 address. `null` for an
 * invalid name: empty labels, over 253 characters.
 */
export function normalHost(hostname: string): string | null {
  if (hostname.length === 0 || hostname.length > MOST_HOST + 1) return null;
  if (hostname.charCodeAt(0) === 0x5b) return embeddedIpv4(hostname) ?? hostname;
  const host = hostname.charCodeAt(hostname.length - 1) === 0x2e ? hostname.slice(0, -1) : hostname;
  if (host.length === 0 || host.length > MOST_HOST) return null;
  if (host.charCodeAt(0) === 0x2e || host.charCodeAt(host.length - 1) === 0x2e || host.includes('..')) return null;
  return host;
}

/** Reports whether a host of {@link normalHost} is an IP address. */
export function isIpAddress(host: string): boolean {
  return host.charCodeAt(0) === 0x5b || /^\d+\.\d+\.\d+\.\d+$/.test(host);
}

function embeddedIpv4(bracketed: string): string | null {
  const words = hextets(bracketed.slice(1, -1));
  if (words === null || !carriesIpv4(words)) return null;
  const high = words[6]!;
  const low = words[7]!;
  return `${high >> 8}.${high & 255}.${low >> 8}.${low & 255}`;
}

/**
 * `::ffff:0:0/96`, `::ffff:0:0:0/96`, `::/96` but for `::` and `::1`, `64:ff9b::/96`, `64:ff9b:1::/48` (RFC 4291, 6052,
 * 8215).
 */
function carriesIpv4(words: readonly number[]): boolean {
  const [a, b, c, d, e, f, g, h] = words as [number, number, number, number, number, number, number, number];
  if (a === 0x64 && b === 0xff9b) return c === 1 || (c === 0 && d === 0 && e === 0 && f === 0);
  if (a !== 0 || b !== 0 || c !== 0 || d !== 0) return false;
  if (e === 0xffff) return f === 0;
  if (e !== 0) return false;
  return f === 0xffff || (f === 0 && (g !== 0 || h > 1));
}

function hextets(address: string): readonly number[] | null {
  const gap = address.indexOf('::');
  const head = gap < 0 ? address : address.slice(0, gap);
  const left = head === '' ? [] : head.split(':');
  const tail = gap < 0 ? '' : address.slice(gap + 2);
  const right = tail === '' ? [] : tail.split(':');
  const zeros = 8 - left.length - right.length;
  if (zeros < 0 || (gap < 0 && zeros !== 0)) return null;
  return [...left, ...Array<string>(zeros).fill('0'), ...right].map((word) => Number.parseInt(word, 16));
}
