import { isAlphanumeric, isDigit, isHexDigit, runEnd } from './characters.js';
import { isSectionOrVersion } from './other-numbers.js';

const COLON = 0x3a;
const DASH = 0x2d;
const DOT = 0x2e;
const MOST_IPV6 = 45;
const MAC = /^(?:[0-9A-Fa-f]{2}([:-])(?:[0-9A-Fa-f]{2}\1){4}[0-9A-Fa-f]{2}|(?:[0-9A-Fa-f]{4}\.){2}[0-9A-Fa-f]{4})$/;

/**
 * IPv4 addresses in four decimal parts, except sections or versions by the words around them, and IPv6 addresses (RFC
 * 4291 section 2.2).
 */
export function ipAddressEnd(text: string, at: number): number {
  const before = text.charCodeAt(at - 1);
  if (isAlphanumeric(before) || before === COLON || before === 0x5f) return 0;
  const end = isDigit(text.charCodeAt(at)) && before !== DOT ? ipv4End(text, at) : 0;
  if (end > 0) return isSectionOrVersion(text, at, end) ? 0 : end;
  return ipv6End(text, at);
}

function ipv4End(text: string, from: number): number {
  let at = from;
  for (let part = 0; part < 4; part += 1) {
    const end = runEnd(text, at, 4, isDigit);
    if (end === at || end - at > 3 || Number(text.slice(at, end)) > 255) return 0;
    if (end - at > 1 && text.charCodeAt(at) === 0x30) return 0;
    if (part === 3) return continuesAfter(text, end) ? 0 : end;
    if (text.charCodeAt(end) !== DOT) return 0;
    at = end + 1;
  }
  return 0;
}

/** A further letter, digit or part: then it was not an address. */
function continuesAfter(text: string, end: number): boolean {
  const next = text.charCodeAt(end);
  if (isAlphanumeric(next) || next === 0x5f) return true;
  return next === DOT && isAlphanumeric(text.charCodeAt(end + 1));
}

function ipv6End(text: string, from: number): number {
  let end = from;
  let colons = 0;
  for (
    let code = text.charCodeAt(end);
    isHexDigit(code) || code === COLON || code === DOT;
    code = text.charCodeAt(end)
  ) {
    end += 1;
    if (code === COLON) colons += 1;
    else if (colons === 0 && (code === DOT || end - from > 4)) return 0;
    if (end - from > MOST_IPV6) return 0;
  }
  if (colons < 2) return 0;
  while (end > from && (text.charCodeAt(end - 1) === DOT || isLoneColon(text, end))) end -= 1;
  if (isAlphanumeric(text.charCodeAt(end)) || !isIpv6(text.slice(from, end))) return 0;
  return end;
}

function isLoneColon(text: string, end: number): boolean {
  return text.charCodeAt(end - 1) === COLON && text.charCodeAt(end - 2) !== COLON;
}

function isIpv6(candidate: string): boolean {
  const halves = candidate.split('::');
  if (halves.length > 2 || !candidate.includes(':')) return false;
  let words = 0;
  for (const [index, half] of halves.entries()) {
    if (half === '') continue;
    const parts = half.split(':');
    for (const [place, part] of parts.entries()) {
      const last = index === halves.length - 1 && place === parts.length - 1;
      if (last && part.includes('.') && ipv4End(part, 0) === part.length) words += 2;
      else if (part.length >= 1 && part.length <= 4 && !part.includes('.')) words += 1;
      else return false;
    }
  }
  // Letters around `::` alone are often a name in a programming language.
  return halves.length === 1 ? words === 8 : words >= 1 && words <= 7 && /\d/.test(candidate);
}

/** MAC addresses: six pairs of hex digits with `:` or `-`, or three groups of four with dots. */
export function macAddressEnd(text: string, at: number): number {
  const separator = text.charCodeAt(at + 2);
  const length = separator === COLON || separator === DASH ? 17 : 14;
  if (length === 14 && text.charCodeAt(at + 4) !== DOT) return 0;
  const end = at + length;
  if (end > text.length || isJoined(text.charCodeAt(at - 1)) || isJoined(text.charCodeAt(end))) return 0;
  return MAC.test(text.slice(at, end)) ? end : 0;
}

function isJoined(code: number): boolean {
  return isAlphanumeric(code) || code === COLON || code === DASH;
}
