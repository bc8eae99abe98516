import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { brokerAccess } from './access.js';
import { ClusterView } from './cluster-view.js';

/** One request every 2 s would be 5 in 10 s. */
const QUESTIONS = 8;
const WITHIN_MS = 12_000;

describe('a view of a cluster of which no broker answers', () => {
  let server: Server;
  let questions = 0;
  beforeAll(async () => {
    server = createServer((socket) => {
      questions += 1;
      socket.on('error', () => undefined);
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => server.close());

  it('asks again soon, without being called, and stops once it is closed', async () => {
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const view = new ClusterView([address], brokerAccess({ clientId: 'view' }), ['agents']);
    view.watch();
    try {
      for (const until = Date.now() + WITHIN_MS; questions < QUESTIONS && Date.now() < until;) await delay(20);
      expect(questions).toBeGreaterThanOrEqual(QUESTIONS);
      expect(view.problem()).toContain(`cannot reach ${address}`);
    } finally {
      view.close();
    }
    await delay(500);
    const asked = questions;
    await delay(1000);
    expect(questions).toBe(asked);
  }, 60_000);
});
