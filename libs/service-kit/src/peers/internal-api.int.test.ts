import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ArchivedEvent, EventArchive, LeafEvent } from '@countersign/contracts';
import { CountersUnavailable } from '@countersign/counters';
import { StoreUnreachable } from '@countersign/document-store';
import { HttpRefusal } from '@countersign/http-edge';
import { createLogger, loadConfig } from '@countersign/process';
import { PeerRegistry } from '../service/peer-registry.js';
import { Waiting } from '../service/waiting.js';
import { missingAddresses, peersElsewhere, peersElsewhereNow } from './elsewhere.js';
import { internalApi } from './internal-api.js';
import { remotePeer } from './remote-peer.js';

const CREDENTIAL = 'the-credential';
const AGENT = '0198a1b2-0000-7000-8000-000000000001';
const log = createLogger('silent');

/** Events of one agent, each `bytes` long. */
function archiveOf(count: number, bytes: number): EventArchive & { readonly asked: unknown[] } {
  const asked: unknown[] = [];
  return {
    asked,
    span: async (agentId, from, to) => {
      asked.push([agentId, from, to]);
      return agentId === AGENT ? { first: 1, last: count } : null;
    },
    range: async (_agentId, first, last, limit) =>
      Array.from({ length: Math.min(last, count, first + limit - 1) - first + 1 }, (_, i) => event(first + i, bytes)),
    newestChecks: async () => null,
    withProfile: async () => null,
    referring: async () => [],
    leaves: async (eventIds) => eventIds.map((eventId) => ({ eventId }) as LeafEvent),
    caughtUp: async (_offsets, timeoutMs) => {
      throw new Error(`behind after ${timeoutMs} ms`);
    },
  };
}

const event = (sequence: number, bytes: number): ArchivedEvent =>
  ({ sequence, erased: false, envelope: { text: 'x'.repeat(bytes) } }) as unknown as ArchivedEvent;

const SERVERS = {
  COUNTERSIGN_PROFILE: 'distributed',
  KAFKA_BROKERS: 'a:9092',
  MONGODB_URI: 'mongodb://a',
  REDIS_URL: 'redis://a',
  SOLANA_RPC_URL: 'http://a',
};

describe('a peer in another process', () => {
  let server: Server;
  let baseUrl: string;
  let peers: PeerRegistry;
  beforeEach(async () => {
    peers = new PeerRegistry();
    const api = internalApi(peers, CREDENTIAL, log);
    server = createServer((request, response) => {
      if (!api(request, response)) response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const remote = (credential = CREDENTIAL): EventArchive => remotePeer('event-archive', { baseUrl, credential });

  it('answers as a peer in this process does', async () => {
    const archive = archiveOf(3, 10);
    peers.provide('event-archive', archive);
    expect(await remote().span(AGENT, 'a', 'b')).toEqual({ first: 1, last: 3 });
    expect(await remote().span('other', 'a', 'b')).toBeNull();
    expect(await remote().range(AGENT, 2, 3, 10)).toEqual([event(2, 10), event(3, 10)]);
    expect(await remote().leaves(['one', 'two'])).toEqual([{ eventId: 'one' }, { eventId: 'two' }]);
    expect(archive.asked).toEqual([
      [AGENT, 'a', 'b'],
      ['other', 'a', 'b'],
    ]);
  });

  it('returns fewer events than requested if they are long, and all of them in a few requests', async () => {
    peers.provide('event-archive', archiveOf(300, 400_000));
    const sequences: number[] = [];
    let requests = 0;
    while (sequences.length < 300) {
      const page = await remote().range(AGENT, sequences.length + 1, 300, 1000);
      requests += 1;
      expect(page.length).toBeGreaterThan(0);
      sequences.push(...page.map(({ sequence }) => sequence));
    }
    expect(sequences).toEqual(Array.from({ length: 300 }, (_, i) => i + 1));
    expect(requests).toBeGreaterThan(2);
    expect(requests).toBeLessThan(12);
  });

  it('rejects with the error of the other side', async () => {
    peers.provide('event-archive', archiveOf(1, 1));
    await expect(remote().caughtUp({ 0: 5 }, 7)).rejects.toThrow('audit-log: behind after 7 ms');
  });

  it('rejects with 503 where a backend of the other side is unavailable', async () => {
    const errors = [new StoreUnreachable('no server'), new CountersUnavailable('no server')];
    peers.provide('event-archive', { ...archiveOf(1, 1), caughtUp: () => Promise.reject(errors.pop()!) });
    while (errors.length > 0) {
      await expect(remote().caughtUp({ 0: 5 }, 7)).rejects.toMatchObject({ status: 503 });
    }
  });

  it('refuses requests without the credential, and for what is not offered', async () => {
    peers.provide('event-archive', archiveOf(1, 1));
    const refused = await remote('wrong')
      .span(AGENT, 'a', 'b')
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(HttpRefusal);
    expect(String((refused as Error).cause)).toContain('401');
    const post = (path: string, headers: Record<string, string>, body = '[]'): Promise<number> =>
      fetch(`${baseUrl}/internal/${path}`, { method: 'POST', headers, body }).then(({ status }) => status);
    const authorized = { authorization: `Bearer ${CREDENTIAL}` };
    expect(await post('event-archive/span', {})).toBe(401);
    expect(await post('event-archive/span', { authorization: CREDENTIAL })).toBe(401);
    expect(await post('proof-source/windows', authorized)).toBe(503);
    expect(await post('event-archive/close', authorized)).toBe(404);
    expect(await post('event-archive/constructor', authorized)).toBe(404);
    expect(await post('__proto__/span', authorized)).toBe(404);
    expect(await post('event-archive/span', authorized, '{')).toBe(400);
    expect(await post('event-archive/span', authorized, 'x'.repeat(2_000_000))).toBe(413);
  });

  it('rejects with 503 if it cannot be reached', async () => {
    const place = { baseUrl: 'http://127.0.0.1:1', credential: CREDENTIAL };
    const error = await remotePeer('proof-source', place)
      .windows(AGENT, 1, 2)
      .catch((e: unknown) => e);
    expect(error).toMatchObject({ status: 503, message: 'anchoring cannot be asked at the moment: try again' });
  });

  it('is waited for until it is offered, and is not looked up if this process offers it', async () => {
    const config = loadConfig({ ...SERVERS, COUNTERSIGN_AUDIT_LOG_URL: baseUrl });
    const waiting = new Waiting(log);
    const elsewhere = peersElsewhere(config, new Set(['identity']), CREDENTIAL, waiting);
    expect(elsewhere('account-operator')).toBeNull();
    const archive = elsewhere('event-archive')!;
    for (let attempt = 0; attempt < 100 && waiting.problems().length === 0; attempt += 1) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    expect(waiting.problems()).toEqual([expect.stringContaining(`waiting for audit-log at ${baseUrl}`)]);
    peers.provide('event-archive', archiveOf(1, 1));
    expect(await (await archive).span(AGENT, 'a', 'b')).toEqual({ first: 1, last: 1 });
  });

  it('is returned without waiting by peerNow, whether or not it can be reached', async () => {
    const config = loadConfig({ ...SERVERS, COUNTERSIGN_AUDIT_LOG_URL: 'http://127.0.0.1:1' });
    const now = peersElsewhereNow(config, new Set(['policy']), CREDENTIAL);
    expect([now('agent-operator'), now('proof-source')]).toEqual([null, null]);
    await expect(now('event-archive')!.span(AGENT, 'a', 'b')).rejects.toMatchObject({ status: 503 });
    const there = peersElsewhereNow(
      loadConfig({ ...SERVERS, COUNTERSIGN_AUDIT_LOG_URL: baseUrl }),
      new Set(),
      CREDENTIAL,
    );
    peers.provide('event-archive', archiveOf(1, 1));
    const outside = new PeerRegistry(() => null, there);
    expect(await outside.peerNow('event-archive')!.span(AGENT, 'a', 'b')).toEqual({ first: 1, last: 1 });
    expect(outside.peerNow('proof-source')).toBeNull();
  });

  it('needs an address: missing ones are named before anything starts', () => {
    const reporting = { name: 'reporting', asks: ['event-archive', 'proof-source'] } as const;
    const anchoring = { name: 'anchoring' } as const;
    expect(missingAddresses(loadConfig(SERVERS), [reporting])).toEqual([
      'COUNTERSIGN_AUDIT_LOG_URL is missing: audit-log runs in another process, and its address is needed',
      'COUNTERSIGN_ANCHORING_URL is missing: anchoring runs in another process, and its address is needed',
      expect.stringMatching(/^COUNTERSIGN_PUBLIC_URL is missing/),
    ]);
    const known = loadConfig({
      ...SERVERS,
      COUNTERSIGN_AUDIT_LOG_URL: baseUrl,
      COUNTERSIGN_PUBLIC_URL: 'https://countersign.example',
    });
    expect(missingAddresses(known, [reporting, anchoring])).toEqual([]);
  });
});
