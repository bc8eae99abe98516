/** Reads one variable's text. `null` refuses it; `expected` completes "NAME must be …". */
export interface Reader<T> {
  readonly expected: string;
  read(raw: string): T | null;
}

export function text(): Reader<string> {
  return { expected: 'text without a zero byte', read: (raw) => (raw.includes('\0') ? null : raw) };
}

export function oneOf<const T extends string>(values: readonly T[]): Reader<T> {
  return {
    expected: `one of ${values.join(', ')}`,
    read: (raw) => values.find((value) => value === raw) ?? null,
  };
}

/** Values are lower case; upper case is accepted. */
export function anyCase<T extends string>(reader: Reader<T>): Reader<T> {
  return { expected: reader.expected, read: (raw) => reader.read(raw.toLowerCase()) };
}

/** Decimal digits; both limits inclusive. */
export function integer(least: number, most: number): Reader<number> {
  return {
    expected: `a whole number from ${least} to ${most}`,
    read(raw) {
      if (!/^\d{1,15}$/.test(raw)) return null;
      const value = Number(raw);
      return value >= least && value <= most ? value : null;
    },
  };
}

export function boolean(): Reader<boolean> {
  return { expected: 'true or false', read: (raw) => (raw === 'true' ? true : raw === 'false' ? false : null) };
}

/** A prefix that separates the names of several installations. */
export function namePrefix(beside: string): Reader<string> {
  return {
    expected: `at most 40 letters, digits and any of ${beside}`,
    read: (raw) =>
      raw.length <= 40 && [...raw].every((c) => /[0-9A-Za-z]/.test(c) || beside.includes(c)) ? raw : null,
  };
}

/** A name or an address to bind to, without a port. */
export function hostName(): Reader<string> {
  return {
    expected: 'a host name or an IP address without a port',
    read: (raw) => (/^[0-9A-Za-z.:_-]{1,255}$/.test(raw) && !/^[^:]*:\d+$/.test(raw) ? raw : null),
  };
}

/** A host name as in certificates and SNI (RFC 6066 section 3): no address, no port, no wildcard. */
export function serverName(): Reader<string> {
  const label = '[0-9A-Za-z_](?:[0-9A-Za-z_-]{0,61}[0-9A-Za-z_])?';
  const name = new RegExp(`^(?=.{1,253}$)(?:${label}\\.)*(?!\\d+$)${label}$`);
  return { expected: 'a host name, not an IP address', read: (raw) => (name.test(raw) ? raw : null) };
}

function parsed(raw: string, protocols: readonly string[]): URL | null {
  const url = URL.canParse(raw) ? new URL(raw) : null;
  return url !== null && protocols.includes(url.protocol) && url.host !== '' ? url : null;
}

/** Without query, fragment and credentials; the value has no trailing slash. */
export function httpUrl(): Reader<string> {
  return {
    expected: 'an http:// or https:// address without query and credentials',
    read(raw) {
      const url = parsed(raw, ['http:', 'https:']);
      if (url === null || url.search !== '' || url.hash !== '' || url.username !== '') return null;
      return url.href.replace(/\/+$/, '');
    },
  };
}

/** Addresses, with a query if they need one, separated by commas. */
export function httpUrls(): Reader<readonly string[]> {
  return {
    expected: 'http:// or https:// addresses separated by commas',
    read(raw) {
      const urls = raw.split(',').map((part) => part.trim());
      return urls.every((url) => parsed(url, ['http:', 'https:']) !== null) ? urls : null;
    },
  };
}

export function urlOf(protocols: readonly string[]): Reader<string> {
  return {
    expected: `an address that begins with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`,
    read: (raw) => (protocols.some((protocol) => raw.startsWith(`${protocol}//`)) ? raw : null),
  };
}

/** The address of one server; its path is the number of a database. */
export function redisUrl(): Reader<string> {
  return {
    expected: 'one address redis:// or rediss:// of the primary; Sentinels and clusters are not supported',
    read(raw) {
      const url = parsed(raw, ['redis:', 'rediss:']);
      return url !== null && /^[^,\s]+$/.test(url.host) && /^(\/\d*)?$/.test(url.pathname) ? raw : null;
    },
  };
}

/** `host:port` entries separated by commas. */
export function list(): Reader<readonly string[]> {
  return {
    expected: 'host:port entries separated by commas',
    read(raw) {
      const entries = raw.split(',').map((part) => part.trim());
      return entries.every((entry) => /^[^\s:]+:\d{1,5}$/.test(entry)) ? entries : null;
    },
  };
}
