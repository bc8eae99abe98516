import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { brokerAccess } from './access.js';
import type { ClusterView } from './cluster-view.js';
import { Fetcher } from './fetcher.js';
import { ReadLane } from './read-lane.js';

/** As promised in the README, with tolerance for a busy machine. */
const SILENT_MS = 10_000;
const BUSY_MS = 15_000;

describe('a stalled fetch loop', () => {
  let server: Server;
  let connections = 0;

  beforeAll(async () => {
    // A broker that ends each connection.
    server = createServer((socket: Socket) => {
      connections += 1;
      socket.on('error', () => undefined);
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => server.close());

  it('is reported, and restarted over new connections, without being called', async () => {
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    // The request after a failure is never answered: the loop waits for ever.
    const cluster = { leader: () => address, problem: () => null, refresh: () => new Promise<void>(() => undefined) };
    const access = brokerAccess({ clientId: 'fetcher' });
    const fetcher = new Fetcher(cluster as unknown as ClusterView, access, 0, () => undefined);
    const source = { topic: 'agent-events', name: 'agent-events', partition: 0 } as const;
    const options = {
      group: 'g',
      topics: ['agent-events'],
      mode: 'shared',
      position: () => null,
      handle: () => undefined,
    };
    const place = { position: 0, saved: 0, end: 0 };
    const lane = new ReadLane(
      source,
      place,
      options as never,
      () => Promise.resolve(place),
      () => undefined,
    );
    try {
      fetcher.expect(1);
      fetcher.add(lane);
      while (connections === 0) await delay(10);
      const tried = connections;
      await delay(1000);
      fetcher.pump();
      await delay(200);
      expect(connections).toBe(tried);
      expect(lane.stalled()).toBeNull();
      for (const until = Date.now() + SILENT_MS + BUSY_MS; connections === tried && Date.now() < until;)
        await delay(50);
      expect(connections).toBeGreaterThan(tried);
      expect(lane.stalled()).toMatch(/^agent-events\/0: nothing was fetched for \d+ s: cannot reach/);
    } finally {
      fetcher.close();
      fetcher.remove(lane);
      await lane.stop();
    }
  }, 60_000);
});
