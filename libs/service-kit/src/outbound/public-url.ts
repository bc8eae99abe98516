import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** Names without public DNS: RFC 6761, RFC 6762, and those of private cloud networks. */
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|test|invalid)$/;

/** The host as a plain address or name: no brackets, no trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** True if the operator has allowed this host and port, whatever its address, also without TLS. */
export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return allowedHosts.includes(`${url.hostname}:${port}`);
}

/**
 * Normalizes the URL of a webhook, a stream or a key set, or returns the problem. Names are resolved at each request, so
 * an accepted URL may still be refused then.
 * @param allowedHosts `host:port` each, in lower case
 * @param member of the request, as the problem names it
 */
export function readPublicUrl(
  text: string,
  allowedHosts: readonly string[],
  member = 'destination',
): { readonly url: URL } | { readonly problem: string } {
  let url: URL;
  try {
    // Not after `URL.canParse`: in Node 20 and 22 it refuses names such as `bücher.example` once its caller is compiled.
    url = new URL(text);
  } catch {
    return { problem: `${member} must be a URL` };
  }
  if (url.username !== '' || url.password !== '') return { problem: `${member} must not hold a user or a password` };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: `${member} must be an https URL` };
  url.hash = '';
  if (isAllowedHost(url, allowedHosts)) return { url };
  if (url.protocol !== 'https:') return { problem: `${member} must be an https URL` };
  const host = hostOf(url);
  const isPublic = isIP(host) === 0 ? host.includes('.') && !LOCAL_NAMES.test(host) : isPublicAddress(host);
  return isPublic ? { url } : { problem: `${member} must be publicly reachable` };
}
