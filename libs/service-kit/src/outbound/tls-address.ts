import { readPublicUrl } from './public-url.js';

/** Port of syslog over TLS: RFC 5425, section 4.1. */
const SYSLOG_TLS_PORT = '6514';
const ADDRESS = /^tls:\/\/(?<authority>[^/?#\\\s]+)\/?$/i;

/**
 * Reads `tls://host` or `tls://host:port`, by the rules of {@link readPublicUrl} for hosts; without a port it is 6514.
 * @param allowedHosts `host:port` each, in lower case
 * @param member of the request, as the problem names it
 * @returns the address with its port, in the form in which names and addresses are compared
 */
export function readTlsAddress(
  text: string,
  allowedHosts: readonly string[],
  member = 'destination',
): { readonly url: URL } | { readonly problem: string } {
  const authority = ADDRESS.exec(text.trim())?.groups?.['authority'];
  if (authority === undefined) return { problem: `${member} must be tls://host:port, without a path` };
  const withPort = /:\d+$/.test(authority) ? authority : `${authority}:${SYSLOG_TLS_PORT}`;
  // The standard parses hosts of `tls:` as opaque texts: as `https:` they are read as everywhere else.
  const read = readPublicUrl(`https://${withPort}`, allowedHosts, member);
  if ('problem' in read) return read;
  const { hostname, port } = read.url;
  return { url: new URL(`tls://${hostname}:${port === '' ? '443' : port}`) };
}

/** The address as a `https:` URL, for the check of its host. */
export function asHttps(url: URL): URL {
  return new URL(`https://${url.host}`);
}
