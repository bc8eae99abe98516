import type { EventArchive } from '@countersign/contracts';
import { PeerRegistry } from './peer-registry.js';

const archive = { span: async () => null } as unknown as EventArchive;

describe('a peers', () => {
  it('gives what is offered, also to who asked before', async () => {
    const peers = new PeerRegistry();
    const early = peers.peer('event-archive');
    peers.provide('event-archive', archive);
    expect(await early).toBe(archive);
    expect(await peers.peer('event-archive')).toBe(archive);
  });

  it('gives what is offered by now, and says that nothing is', () => {
    const peers = new PeerRegistry();
    expect(peers.peerNow('event-archive')).toBeNull();
    peers.provide('event-archive', archive);
    expect(peers.peerNow('event-archive')).toBe(archive);
  });

  it('refuses a second offer', () => {
    const peers = new PeerRegistry();
    peers.provide('event-archive', archive);
    expect(() => peers.provide('event-archive', archive)).toThrow('event-archive is provided twice');
  });
});
