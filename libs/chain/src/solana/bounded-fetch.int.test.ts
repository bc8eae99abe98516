import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { boundedFetch } from './bounded-fetch.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

describe('a request to a node that never answers', () => {
  let silent: Server;
  let url: string;

  beforeAll(async () => {
    silent = createServer(() => undefined);
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    silent.closeAllConnections();
    silent.close();
  });

  /** Runs while the garbage of the request's start is collected, as in a process with other work. */
  async function waited(request: Promise<Response>): Promise<unknown> {
    const ended = request.then(
      () => 'answered',
      (error: unknown) => error,
    );
    for (let turn = 0; turn < 3; turn += 1) {
      await sleep(20);
      collectGarbage();
    }
    return ended;
  }

  it('ends at its timeout, whatever was collected in between', async () => {
    const request = boundedFetch(300, new AbortController().signal)(url, { method: 'POST', body: '{}' });
    expect(await waited(request)).toMatchObject({ name: 'ChainUnavailable', reason: 'timeout' });
  });

  it('ends when the chain is closed, and does not start afterwards', async () => {
    const closing = new AbortController();
    const bounded = boundedFetch(60_000, closing.signal);
    const request = bounded(url);
    const ended = waited(request);
    await sleep(100);
    closing.abort();
    expect(await ended).toMatchObject({ name: 'ChainUnavailable', reason: 'network' });
    expect(await waited(bounded(url))).toMatchObject({ name: 'ChainUnavailable', reason: 'network' });
  });
});
