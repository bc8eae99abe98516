/**
 * Models of how clients split a URL, from their sources: each gives host and port, or `null` where it refuses. The
 * engine does not use them: for each URL it accepts, they must reach the host that it read.
 */
export interface Connection {
  readonly host: string;
  readonly port: string;
}

export type ClientModel = (text: string) => Connection | null;

const DEFAULTS: Readonly<Record<string, string>> = { http: '80', https: '443' };

function connection(scheme: string, hostPort: string): Connection | null {
  const at = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(hostPort);
  const usual = DEFAULTS[scheme.toLowerCase()];
  if (at === null || usual === undefined || at[1] === '') return null;
  return { host: at[1]!.toLowerCase(), port: at[2] === undefined || at[2] === '' ? usual : String(Number(at[2])) };
}

const RFC_3986 = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#]*)/;

/** RFC 3986, appendix B; user information ends at the last `@`, as in Go and urllib. */
const byLastAt: ClientModel = (text) => {
  const [, scheme, authority] = RFC_3986.exec(text) ?? [];
  return scheme === undefined ? null : connection(scheme, authority!.slice(authority!.lastIndexOf('@') + 1));
};

/** RFC 3986 with user information up to the first `@`, as in httpx. */
const byFirstAt: ClientModel = (text) => {
  const [, scheme, authority] = RFC_3986.exec(text) ?? [];
  return scheme === undefined ? null : connection(scheme, authority!.slice(authority!.indexOf('@') + 1));
};

/** Up to three slashes, `%XX` of a host decoded. */
const curl: ClientModel = (text) => {
  const [, scheme, authority] = /^(https?):\/{1,3}([^/?#]*)/i.exec(text) ?? [];
  if (scheme === undefined || /[\x00-\x20\x7f]/.test(text)) return null;
  const host = authority!.slice(authority!.lastIndexOf('@') + 1);
  return connection(
    scheme,
    host.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  );
};

/** Drops tabs and line breaks, then as RFC 3986; IDNA 2003 folds and removes before a name is encoded. */
const urllib: ClientModel = (text) => {
  const read = byLastAt(text.replace(/^[\0-\x20]+/, '').replace(/[\t\r\n]/g, ''));
  if (read === null) return null;
  const host = read.host
    .replaceAll('ß', 'ss')
    .replaceAll('ẞ', 'ss')
    .replaceAll('ς', 'σ')
    .replace(/[\u00ad\u200b-\u200d\u2060\ufeff]/g, '');
  return {
    ...read,
    host: host
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[。．｡]/g, '.'),
  };
};

/** `java.net.URL`: surrounding white space is cut, a decimal number with leading zeros stays decimal. */
const java: ClientModel = (text) => {
  const trimmed = text.replace(/^[\0-\x20]+|[\0-\x20]+$/g, '').replace(/#.*$/s, '');
  const [, scheme, authority] = /^(https?):\/\/([^/?]*)/i.exec(trimmed) ?? [];
  if (scheme === undefined || authority!.split('@').length > 2) return null;
  const read = connection(scheme, authority!.slice(authority!.indexOf('@') + 1));
  if (read === null || !/^\d+(?:\.\d+){3}$/.test(read.host)) return read;
  return { ...read, host: read.host.split('.').map(Number).join('.') };
};

export const CLIENT_MODELS: Readonly<Record<string, ClientModel>> = { byLastAt, byFirstAt, curl, urllib, java };
