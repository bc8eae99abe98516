import { isIP } from 'node:net';
import { isPublicAddress } from './public-address.js';

/** Names that no public DNS gives: RFC 6761, RFC 6762, and those that cloud networks use inside. */
const LOCAL_NAMES = /(^|\.)(localhost|local|internal|intranet|lan|home\.arpa|test|invalid)$/;

/** The host as an address or a name alone: no brackets, no trailing dot. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Whether the operator lets webhooks reach this very host and port whatever it is, also without TLS. */
export function isAllowedHost(url: URL, allowedHosts: readonly string[]): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return allowedHosts.includes(`${url.hostname}:${port}`);
}

/**
 * A webhook's URL in the form that is stored, or why it is none. Names are resolved when a message is delivered, each
 * time anew: what this accepts may still be refused then.
 * @param allowedHosts `host:port` each, in small letters
 */
export function readWebhookUrl(
  text: string,
  allowedHosts: readonly string[],
): { readonly url: URL } | { readonly problem: string } {
  let url: URL;
  try {
    // Not after `URL.canParse`: in Node 20 and 22 it refuses names such as `bücher.example` once its caller is compiled.
    url = new URL(text);
  } catch {
    return { problem: 'destination must be a URL' };
  }
  if (url.username !== '' || url.password !== '') return { problem: 'destination must not hold a user or a password' };
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { problem: 'destination must be an https URL' };
  url.hash = '';
  if (isAllowedHost(url, allowedHosts)) return { url };
  if (url.protocol !== 'https:') return { problem: 'destination must be an https URL' };
  const host = hostOf(url);
  const isPublic = isIP(host) === 0 ? host.includes('.') && !LOCAL_NAMES.test(host) : isPublicAddress(host);
  return isPublic ? { url } : { problem: 'destination must be publicly reachable' };
}
