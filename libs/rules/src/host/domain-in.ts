/** Addresses of one call: more are not proven. */
const MAX_ADDRESSES = 256;
/** RFC 5321, section 4.5.3.1.1. */
const MAX_LOCAL = 64;
/** DNS names have at most 253 characters. */
const MAX_DOMAIN = 253;
const ASCII_DOMAIN = /^(?!-)[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)*\.?$/;
/** Names that the URL standard leaves unchanged: most. */
const AS_IT_STANDS = /^(?!-)(?:[a-z0-9-]+\.)+[a-z]{2,}$/;
/** Letters that IDNA 2003, IDNA 2008 and UTS #46 leave unchanged; `ß` and `ς` are read in two ways. */
const UNICODE_DOMAIN =
  /^(?:[a-z0-9.-]|(?![ßς\p{Script=Cherokee}\p{Default_Ignorable_Code_Point}\u1c80-\u1c8f])[\p{Ll}\p{Lo}\p{Lm}\p{Mn}\p{Mc}])+$/u;

/**
 * A domain name in IDNA form (A-labels, lower case), without a trailing dot; `null` for any other text, an IP address,
 * and a name that mail programs read differently.
 */
function normalDomain(text: string): string | null {
  if (text.length === 0 || text.length > MAX_DOMAIN) return null;
  if (AS_IT_STANDS.test(text) && !text.includes('xn--')) return text;
  const isAscii = ASCII_DOMAIN.test(text);
  if (!isAscii && (!UNICODE_DOMAIN.test(text) || text.normalize('NFKC') !== text)) return null;
  try {
    const { hostname } = new URL(`http://${text}/`);
    const name = hostname.endsWith('.') ? hostname.slice(0, -1) : hostname;
    return name === '' || name.includes('..') || name.startsWith('.') || /^[\d.]+$|^\[/.test(name) ? null : name;
  } catch {
    return null;
  }
}

/** Neither quoted nor a route: `a%b@c` and `b!a@c` are forwarded by some servers. */
const LOCAL = /^[A-Za-z0-9#$&'*+/=?^_`{|}~\p{L}\p{N}-]+(?:\.[A-Za-z0-9#$&'*+/=?^_`{|}~\p{L}\p{N}-]+)*$/u;
/** Words before an address, which can be read in one way: quoted, or without characters that have a meaning. */
const DISPLAY_NAME = /^(?:"[^"\\]*"|[^"@<>()[\]\\,;:]*)$/;
const CONTROL = /[\0-\x1f\x7f]/;

/** One address alone, in lower case: most texts. */
const PLAIN_ADDRESS = /^[a-z0-9_+-]{1,32}(?:\.[a-z0-9_+-]{1,31})?@((?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,})$/;

/** One such address behind a display name. */
const NAMED_ADDRESS =
  /^[A-Za-z0-9 .'-]{0,64}<[a-z0-9_+-]{1,32}(?:\.[a-z0-9_+-]{1,31})?@((?:[a-z0-9][a-z0-9-]*\.)+[a-z]{2,})>$/;

/**
 * The domains of all addresses in a text: one or several, separated by commas or semicolons, each with or without a
 * display name (RFC 5322, section 3.4, without groups, comments and quoted local parts). `null` if any part is not an
 * address that all mail programs read alike.
 */
function domainsIn(text: string): readonly string[] | null {
  const form = text.endsWith('>') ? NAMED_ADDRESS : PLAIN_ADDRESS;
  const plain = text.length <= MAX_DOMAIN ? form.exec(text)?.[1] : undefined;
  if (plain !== undefined && !plain.includes('xn--')) return [plain];
  if (CONTROL.test(text)) return null;
  const domains: string[] = [];
  const parts = partsOf(text);
  if (parts.length > MAX_ADDRESSES) return null;
  for (const part of parts) {
    const domain = domainOf(part.trim());
    if (domain === null) return null;
    domains.push(domain);
  }
  return domains;
}

/** Separated outside of quotes. */
function partsOf(text: string): readonly string[] {
  const parts: string[] = [];
  let from = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') isQuoted = !isQuoted;
    if (isQuoted || (char !== ',' && char !== ';')) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  return [...parts, text.slice(from)];
}

function domainOf(part: string): string | null {
  const open = part.lastIndexOf('<');
  if (open < 0) return domainOfAddress(part);
  if (!part.endsWith('>') || !DISPLAY_NAME.test(part.slice(0, open).trim())) return null;
  return domainOfAddress(part.slice(open + 1, -1));
}

function domainOfAddress(address: string): string | null {
  const at = address.indexOf('@');
  if (at < 0 || at > MAX_LOCAL || at !== address.lastIndexOf('@') || !LOCAL.test(address.slice(0, at))) return null;
  return normalDomain(address.slice(at + 1));
}

/**
 * Compiles `domain_in(addresses, domains)`: `acme.com` is that domain, `*.acme.com` those below it. @returns a function
 * that reports whether there is an address in the texts, and all of them are inside
 * @throws RangeError for an entry that is not a domain
 */
export function compileDomainIn(entries: readonly string[]): (texts: readonly string[]) => boolean {
  const exact = new Set<string>();
  const below: string[] = [];
  for (const entry of entries) {
    const isBelow = entry.startsWith('*.');
    const domain = normalDomain(isBelow ? entry.slice(2) : entry);
    if (domain === null)
      throw new RangeError('names a domain that is not one: write acme.com, or *.acme.com for subdomains');
    if (isBelow) below.push(`.${domain}`);
    else exact.add(domain);
  }
  const isInside = (domain: string): boolean => exact.has(domain) || below.some((end) => domain.endsWith(end));
  return (texts) => {
    let count = 0;
    for (const text of texts) {
      const domains = domainsIn(text);
      if (domains === null || !domains.every(isInside)) return false;
      count += domains.length;
      if (count > MAX_ADDRESSES) return false;
    }
    return count > 0;
  };
}
