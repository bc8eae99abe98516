import { Agent, request } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { AddressInUse, listen } from './server.js';

interface Answer {
  readonly connection: string | undefined;
  readonly text: string;
}

function ask(address: string, agent: Agent): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(address, { agent }, (response: IncomingMessage) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => (text += part));
      response.on('end', () => resolve({ connection: response.headers.connection, text }));
    });
    sent.on('error', reject).end();
  });
}

const server = (delayMs = 0): ReturnType<typeof listen> =>
  listen({ host: '127.0.0.1', port: 0 }, (_request, response) => {
    setTimeout(() => response.end('answered'), delayMs);
  });

describe('a server that is closed', () => {
  it('answers once more on an idle connection, refuses new ones, and ends when the time is over', async () => {
    const opened = await server();
    const { address } = opened;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    expect(await ask(address, agent)).toEqual({ connection: 'keep-alive', text: 'answered' });
    const closed = opened.close(10_000, 3000);
    // The port is closed once a tick of the event loop has accepted no connection.
    const refused = (): Promise<unknown> =>
      ask(address, new Agent()).then(
        () => null,
        (error: NodeJS.ErrnoException) => error.code,
      );
    while ((await refused()) === null) await sleep(20);
    expect(await refused()).toBe('ECONNREFUSED');
    expect(await ask(address, agent)).toEqual({ connection: 'close', text: 'answered' });
    await closed;
    agent.destroy();
  });

  it('closes a connection that stays idle after that time, and no sooner', async () => {
    const opened = await server();
    const { address } = opened;
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    await ask(address, agent);
    const begun = performance.now();
    await opened.close(10_000, 300);
    expect(performance.now() - begun).toBeGreaterThan(250);
    agent.destroy();
  });

  it('lets a running request end, and closes idle connections at once where nothing is to linger', async () => {
    const opened = await server(150);
    const { address } = opened;
    const agent = new Agent({ keepAlive: true });
    await ask(address, agent);
    const running = ask(address, agent);
    await sleep(20);
    const closed = opened.close(10_000);
    expect(await running).toEqual({ connection: 'close', text: 'answered' });
    await closed;
    agent.destroy();
  });
});

describe('a port that is taken', () => {
  it.each([
    [undefined, 'COUNTERSIGN_PORT'],
    ['COUNTERSIGN_PROBES_PORT', 'COUNTERSIGN_PROBES_PORT'],
  ] as const)('of the variable %s: the refusal names it', async (variable, named) => {
    const first = await server();
    const port = Number(new URL(first.address).port);
    const on = { host: '127.0.0.1', port, ...(variable === undefined ? {} : { variable }) };
    const second = listen(on, () => undefined);
    await expect(second).rejects.toThrow(AddressInUse);
    await expect(second).rejects.toThrow(`set ${named} to a free one`);
    await first.close(0);
  });
});

describe('a connection on which more comes than a request', () => {
  /** All that comes back until the connection ends. */
  const exchange = (address: string, text: string, halfClose: boolean): Promise<string> =>
    new Promise((resolve, reject) => {
      const { port } = new URL(address);
      const socket = connect({ port: Number(port), host: '127.0.0.1', allowHalfOpen: true });
      let answer = '';
      socket.setEncoding('utf8').on('data', (part: string) => (answer += part));
      socket.on('error', reject).on('end', () => {
        socket.end();
        resolve(answer);
      });
      if (halfClose) socket.end(text);
      else socket.write(text);
    });
  const REQUEST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';

  it('gives the answer of the request first, and ends', async () => {
    const opened = await server(100);
    const answer = await exchange(opened.address, `${REQUEST}stray bytes\r\n\r\n`, false);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect([answer.endsWith('answered'), answer.match(/HTTP\/1\.1/g)?.length]).toEqual([true, 1]);
    await opened.close(1000);
  });

  it('gets an error response if no other response is pending', async () => {
    const opened = await server();
    expect(await exchange(opened.address, 'stray bytes\r\n\r\n', false)).toMatch(/^HTTP\/1\.1 400 /);
    await opened.close(1000);
  });

  it('is answered if the client has closed its half', async () => {
    const opened = await server(100);
    const answer = await exchange(opened.address, REQUEST, true);
    expect([answer.slice(0, 12), answer.endsWith('answered')]).toEqual(['HTTP/1.1 200', true]);
    await opened.close(1000);
  });
});
