import type { EventArchive } from '@countersign/contracts';
import { PeerRegistry } from './peer-registry.js';

const archive = { span: async () => null } as unknown as EventArchive;

describe('PeerRegistry', () => {
  it('resolves with a peer that is provided, also if it was requested before', async () => {
    const peers = new PeerRegistry();
    const early = peers.peer('event-archive');
    peers.provide('event-archive', archive);
    expect(await early).toBe(archive);
    expect(await peers.peer('event-archive')).toBe(archive);
  });

  it('returns a peer that has been provided by now, else null', () => {
    const peers = new PeerRegistry();
    expect(peers.peerNow('event-archive')).toBeNull();
    peers.provide('event-archive', archive);
    expect(peers.peerNow('event-archive')).toBe(archive);
  });

  it('refuses a second peer of the same name', () => {
    const peers = new PeerRegistry();
    peers.provide('event-archive', archive);
    expect(() => peers.provide('event-archive', archive)).toThrow('event-archive is provided twice');
  });
});
