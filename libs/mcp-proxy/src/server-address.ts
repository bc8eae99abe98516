/** Address of a server, and the headers of each request. */
export interface ServerAddress {
  /** Without user name and password. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
}

/**
 * Parses the address of a server: user name and password become an `Authorization` of the basic scheme (RFC 7617, in
 * UTF-8). Returns the problem as text, without the address, which may hold a password.
 * @param headers further headers
 */
export function readServerAddress(text: string, headers: Readonly<Record<string, string>>): ServerAddress | string {
  const url = urlOf(text);
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return '--url must be an http or https address';
  if (url.username === '' && url.password === '') return { url, headers };
  if (Object.keys(headers).some((name) => name.toLowerCase() === 'authorization')) {
    return 'the address of --url has a user name or password, and there is a --header Authorization as well: give one of them';
  }
  const user = decoded(url.username);
  const password = decoded(url.password);
  if (user === null || password === null || user.includes(':')) {
    return 'the user name and password in --url are not written as an address has them';
  }
  url.username = '';
  url.password = '';
  const credentials = Buffer.from(`${user}:${password}`, 'utf8').toString('base64');
  return { url, headers: { ...headers, Authorization: `Basic ${credentials}` } };
}

/** True if an address may contain a user name or password; also true for one that cannot be parsed. */
export function namesUser(address: string): boolean {
  const url = urlOf(address);
  return url === null ? address.includes('@') : url.username !== '' || url.password !== '';
}

function urlOf(text: string): URL | null {
  return URL.canParse(text) ? new URL(text) : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}
