import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { LookupFunction } from 'node:net';
import { isPublicAddress } from './public-address.js';
import { hostOf, isAllowedHost } from './public-url.js';

export interface Address {
  readonly address: string;
  readonly family: number;
}

export interface OutboundNetwork {
  /** `host:port` each: exempt from the address check and, where the URL says so, from TLS. */
  readonly allowedHosts: readonly string[];
  /** Returns every address of a name. */
  readonly resolve: (host: string) => Promise<readonly Address[]>;
  /** From the first packet to the end of the answer, ms. */
  readonly timeoutMs: number;
}

export const resolveAll = (host: string): Promise<readonly Address[]> => lookup(host, { all: true, verbatim: true });

/**
 * Resolves the host of a URL once, and checks every address of it.
 * @returns the first address, or why nothing may be sent there
 */
export async function checkedAddress(
  url: URL,
  network: OutboundNetwork,
): Promise<{ readonly address: Address } | { readonly problem: string }> {
  const host = hostOf(url);
  const family = isIP(host);
  let addresses: readonly Address[];
  try {
    addresses = family === 0 ? await inTime(network.resolve(host), network.timeoutMs) : [{ address: host, family }];
  } catch (error) {
    return { problem: error instanceof NotInTime ? error.message : UNRESOLVED };
  }
  const [address] = addresses;
  if (address === undefined) return { problem: UNRESOLVED };
  const isGood = isAllowedHost(url, network.allowedHosts) || addresses.every((each) => isPublicAddress(each.address));
  return isGood ? { address } : { problem: 'the host has an address that is not public' };
}

/** A lookup that gives the address that was checked, whatever the name resolves to by now. */
export function pinned({ address, family }: Address): LookupFunction {
  return (_host, options, callback) => {
    if (options.all === true) callback(null, [{ address, family }]);
    else callback(null, address, family);
  };
}

const UNRESOLVED = 'the host name does not resolve';

class NotInTime extends Error {
  override readonly name = 'NotInTime';
}

function inTime<T>(promise: Promise<T>, timeoutMs: number): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new NotInTime('the host name did not resolve in time')), timeoutMs);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
