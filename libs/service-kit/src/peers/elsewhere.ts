import type { ServiceName } from '@countersign/contracts';
import { ConfigurationError } from '@countersign/process';
import type { Config } from '@countersign/process';
import type { Peers, ServiceDefinition } from '../service/definition.js';
import type { Elsewhere, ElsewhereNow } from '../service/peer-registry.js';
import type { Waiting } from '../service/waiting.js';
import { addressVariable, OFFERS } from './offers.js';
import type { PeerName } from './offers.js';
import { reach, remotePeer } from './remote-peer.js';

/**
 * Finds peers in other processes by the addresses of the configuration.
 * @param here services of this process; their peers are not looked up elsewhere
 */
export function peersElsewhere(
  config: Config,
  here: ReadonlySet<ServiceName>,
  credential: string,
  waiting: Waiting,
): Elsewhere {
  return <K extends PeerName>(name: K): Promise<Peers[K]> | null => {
    const { by } = OFFERS[name];
    if (here.has(by)) return null;
    const baseUrl = config.peerUrls[by];
    if (baseUrl === undefined) return Promise.reject(new ConfigurationError([missing(by)]));
    const place = { baseUrl, credential };
    return waiting.until(`${by} at ${baseUrl}`, () => reach(name, place)).then(() => remotePeer(name, place));
  };
}

/** As {@link peersElsewhere}, without waiting: calls of a peer that cannot be reached reject with 503. */
export function peersElsewhereNow(config: Config, here: ReadonlySet<ServiceName>, credential: string): ElsewhereNow {
  return <K extends PeerName>(name: K): Peers[K] | null => {
    const baseUrl = config.peerUrls[OFFERS[name].by];
    return here.has(OFFERS[name].by) || baseUrl === undefined ? null : remotePeer(name, { baseUrl, credential });
  };
}

/** One line for each address that services of this process need, or publish, and that the configuration lacks. */
export function missingAddresses(
  config: Config,
  services: readonly Pick<ServiceDefinition, 'name' | 'asks'>[],
): readonly string[] {
  const here = new Set(services.map(({ name }) => name));
  const asked = services.flatMap(({ asks }) => asks ?? []).map((name) => OFFERS[name].by);
  const needed = new Set(asked.filter((name) => !here.has(name)));
  const unknown = [...needed].filter((name) => config.peerUrls[name] === undefined).map(missing);
  return namesKeysElsewhere(here) && config.publicUrl === null ? [...unknown, NO_PUBLIC_URL] : unknown;
}

const NO_PUBLIC_URL =
  'COUNTERSIGN_PUBLIC_URL is missing: reports name it for ever as the place of their key, which another process serves';

function namesKeysElsewhere(here: ReadonlySet<ServiceName>): boolean {
  return here.has('reporting') && !here.has('verification');
}

function missing(service: ServiceName): string {
  return `${addressVariable(service)} is missing: ${service} runs in another process, and its address is needed`;
}
