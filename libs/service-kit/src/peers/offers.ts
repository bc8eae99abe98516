import type { ServiceName } from '@countersign/contracts';
import type { Peers, ServiceDefinition } from '../service/definition.js';

export type PeerName = keyof Peers;

/** Methods of a peer. Each takes and returns plain JSON data. */
export type MethodOf<K extends PeerName> = keyof Peers[K] & string;

interface Offer<K extends PeerName> {
  readonly by: ServiceName;
  readonly methods: readonly MethodOf<K>[];
}

/** The service that offers each peer, and the methods that can be called over HTTP. */
export const OFFERS: { readonly [K in PeerName]: Offer<K> } = {
  'event-archive': {
    by: 'audit-log',
    methods: ['span', 'range', 'newestChecks', 'withProfile', 'referring', 'leaves', 'caughtUp'],
  },
  erasures: { by: 'audit-log', methods: ['pending', 'acknowledge', 'among'] },
  'proof-source': { by: 'anchoring', methods: ['windows', 'leafHashes', 'proof'] },
  'account-operator': { by: 'identity', methods: ['hasAccount', 'createFirst', 'setPlan', 'passwordLink'] },
  'agent-operator': { by: 'policy', methods: ['createFirst'] },
  'signing-key-operator': { by: 'reporting', methods: ['list', 'create', 'rotate', 'revoke'] },
};

export const PEER_NAMES = Object.keys(OFFERS) as readonly PeerName[];

export const INTERNAL_PREFIX = '/internal/';

/** The configuration variable with the address of a service. */
export function addressVariable(service: ServiceName): string {
  return `COUNTERSIGN_${service.toUpperCase().replaceAll('-', '_')}_URL`;
}

/** Returns true if one of these services calls internal routes of another process, or offers any. */
export function usesInternalRoutes(services: readonly Pick<ServiceDefinition, 'name' | 'asks'>[]): boolean {
  return services.some(
    ({ name, asks = [] }) => asks.length > 0 || Object.values(OFFERS).some((offer) => offer.by === name),
  );
}
