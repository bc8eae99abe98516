import { createServer, request, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HttpRefusal, writeAnswer } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import type { ExportQuery } from '@countersign/contracts';
import type { EventStore, KeysetPage } from '../store/port.js';
import { ACCOUNT, envelope } from '../testing/envelopes.js';
import { ExportEventsController } from './export-events-controller.js';

/** Has no end: each page of it is a large event. */
class EndlessStore {
  pages = 0;
  readonly #text = 'x'.repeat(256 * 1024);

  async pageAfter(): Promise<KeysetPage> {
    this.pages += 1;
    const { leaf } = envelope(this.pages);
    const openings = { action: { salt: 'AAAAAAAAAAAAAAAAAAAAAA', value: { type: this.#text } } };
    return { events: [{ sequence: this.pages, leaf, openings, anchored: false }], next: [1] };
  }
}

describe('an export over a connection', () => {
  const store = new EndlessStore();
  const controller = new ExportEventsController(store as unknown as EventStore);
  let server: Server;

  beforeAll(async () => {
    const input = { query: { format: 'csv' }, caller: { accountId: ACCOUNT } } as RouteInput<unknown, ExportQuery>;
    server = createServer((_request, response) => {
      controller
        .export(input)
        .then((answer) => writeAnswer(response, answer))
        .catch((error: unknown) => response.writeHead(error instanceof HttpRefusal ? error.status : 500).end());
    });
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  });
  afterAll(() => new Promise((done) => server.close(done)));

  /** The head of an answer of which nothing is read. */
  const ask = (): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const asked = request({ host: '127.0.0.1', port, agent: false }, (answer) => {
        answer.on('error', () => undefined);
        resolve(answer);
      });
      asked.on('error', reject).end();
    });
  /** How often the store was asked, once that stays the same. */
  const settled = async (): Promise<number> => {
    for (let before = -1, same = 0; ; before = store.pages) {
      same = store.pages === before ? same + 1 : 0;
      if (same === 5) return store.pages;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };

  it('goes no faster than it is read, ends when the reader leaves, and makes room for another', async () => {
    const unread = await Promise.all([ask(), ask(), ask(), ask()]);
    expect(unread.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200]);
    // What the kernel takes for four connections, and no more: there is no end to read towards.
    const pages = await settled();
    const refused = await ask();
    expect(refused.statusCode).toBe(503);
    refused.resume();
    for (const answer of unread) answer.destroy();
    expect((await settled()) - pages).toBeLessThanOrEqual(unread.length);
    const again = await ask();
    expect(again.statusCode).toBe(200);
    again.destroy();
    await settled();
  });
});
