import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { listen } from './server.js';
import type { Listener, Patience } from './server.js';

const PATIENCE: Patience = {
  headMs: 600,
  requestMs: 1200,
  idleSeconds: 1,
  unreadMs: 600,
  body: { graceMs: 60_000, bytesPerSecond: 1 },
  everyMs: 50,
};
/** More than the kernel buffers for a connection that is not read. */
const LARGE = Buffer.alloc(16 * 1024 * 1024, 'x');

interface Peer {
  readonly socket: Socket;
  received(): string;
  /** ms since it was opened. */
  readonly closed: Promise<number>;
}

const answerAtOnce: RequestListener = (request, response) => {
  request.resume();
  request.once('end', () => response.end('answered'));
};

describe('clients that take their time', () => {
  let opened: Listener;
  const peers: Peer[] = [];
  const serve = async (handler: RequestListener = answerAtOnce, patience = PATIENCE): Promise<void> => {
    opened = await listen({ host: '127.0.0.1', port: 0 }, handler, patience);
  };
  const peer = (): Peer => {
    const begun = performance.now();
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(opened.address).port) });
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    socket.on('error', () => undefined);
    const closed = new Promise<number>((resolve) => socket.once('close', () => resolve(performance.now() - begun)));
    const one = { socket, received: () => text, closed };
    peers.push(one);
    return one;
  };
  /** A byte at a time. */
  const dribble = async ({ socket }: Peer, text: string): Promise<void> => {
    for (const byte of text) {
      if (socket.destroyed || !socket.writable) return;
      socket.write(byte);
      await sleep(20);
    }
  };
  afterEach(async () => {
    for (const { socket } of peers.splice(0)) socket.destroy();
    await opened.close(1000);
  });

  it('are closed without a response if they send nothing', async () => {
    await serve();
    const silent = peer();
    expect(await silent.closed).toBeGreaterThan(PATIENCE.headMs - 50);
    expect(silent.received()).toBe('');
  });

  it('get an error response if a head does not end, and are closed', async () => {
    await serve();
    const slow = peer();
    void dribble(slow, `GET / HTTP/1.1\r\nHost: a\r\nX-More: ${'x'.repeat(10_000)}`);
    expect(await slow.closed).toBeGreaterThan(PATIENCE.headMs - 50);
    expect(slow.received()).toMatch(/^HTTP\/1\.1 408 [^]*\{"error":"send the request faster"\}$/);
  });

  it('get an error response if a body does not end, and are closed', async () => {
    await serve();
    const slow = peer();
    slow.socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10000\r\n\r\n');
    void dribble(slow, 'x'.repeat(10_000));
    expect(await slow.closed).toBeGreaterThan(PATIENCE.requestMs - 50);
    expect(slow.received()).toMatch(/^HTTP\/1\.1 408 /);
  });

  it('are answered when a body comes too slowly, long before a request must be over, and closed', async () => {
    const pace = { graceMs: 300, bytesPerSecond: 1000 };
    await serve(answerAtOnce, { ...PATIENCE, requestMs: 60_000, body: pace });
    const [slow, fast] = [peer(), peer()];
    for (const { socket } of [slow, fast]) socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n');
    void dribble(slow, 'x'.repeat(1000));
    for (let sent = 0; sent < 1000; sent += 100) {
      fast.socket.write('x'.repeat(100));
      await sleep(40);
    }
    expect(await slow.closed).toBeLessThan(3000);
    expect(slow.received()).toMatch(
      /^HTTP\/1\.1 408 [^]*\{"error":"send the body faster: 1000 bytes a second are the least"\}$/,
    );
    while (!fast.received().endsWith('answered')) await sleep(5);
  });

  it('may hold no more connections from one address than its share; another address is served', async () => {
    let refused = 0;
    opened = await listen({ host: '127.0.0.1', port: 0 }, answerAtOnce, PATIENCE, {
      ofAddress: 3,
      refused: () => (refused += 1),
    });
    const held = [peer(), peer(), peer()];
    await Promise.all(held.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
    await sleep(50);
    const more = peer();
    await more.closed;
    expect(more.received()).toMatch(
      /^HTTP\/1\.1 429 [^]*\{"error":"this address has 3 connections open, which is the most"\}$/,
    );
    expect(refused).toBe(1);
    const port = Number(new URL(opened.address).port);
    const other = connect({ host: '127.0.0.1', port, localAddress: '127.0.0.2' });
    const answer = new Promise<string>((resolve) => other.setEncoding('latin1').once('data', resolve));
    other.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    expect(await answer).toMatch(/^HTTP\/1\.1 200 /);
    other.destroy();
    held[0]!.socket.destroy();
    await sleep(50);
    const again = peer();
    again.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    while (!again.received().endsWith('answered')) await sleep(5);
  });

  it('may keep an idle connection once they have had an answer', async () => {
    await serve();
    const pooled = peer();
    pooled.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    await sleep(3 * PATIENCE.headMs);
    expect([pooled.socket.destroyed, pooled.received().match(/answered/g)?.length]).toEqual([false, 1]);
    pooled.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    while (pooled.received().match(/answered/g)?.length !== 2) await sleep(10);
  });

  it('are cut when they read nothing of an answer, whatever they send, and not while they read slowly', async () => {
    // The kernels hold megabytes: what is read is seen here after a while.
    await serve((_request, response) => response.end(LARGE), { ...PATIENCE, unreadMs: 3000 });
    const deaf = peer();
    deaf.socket.pause();
    deaf.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const slow = connect({ host: '127.0.0.1', port: Number(new URL(opened.address).port) });
    slow.on('readable', () => undefined);
    slow.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    let cut = false;
    void deaf.closed.then(() => (cut = true));
    let read = 0;
    for (let round = 0; round < 20 || !cut; round += 1) {
      for (let i = 0; i < 4; i += 1) read += (slow.read() as Buffer | null)?.length ?? 0;
      deaf.socket.write('\r\n');
      await sleep(50);
    }
    slow.removeAllListeners('readable');
    for await (const chunk of slow) {
      read += (chunk as Buffer).length;
      if (read >= LARGE.length) break;
    }
    expect(read).toBeGreaterThanOrEqual(LARGE.length);
  }, 60_000);

  it('are served if they sent in time while the event loop was busy', async () => {
    await serve();
    const late = peer();
    await sleep(PATIENCE.headMs / 2);
    late.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const busyUntil = performance.now() + PATIENCE.headMs;
    while (performance.now() < busyUntil);
    while (!late.received().endsWith('answered') && !late.socket.destroyed) await sleep(5);
    expect(late.received()).toMatch(/answered$/);
  });

  it('are closed if they sent only line breaks in time', async () => {
    await serve();
    const late = peer();
    await sleep(PATIENCE.headMs / 2);
    // Timers come next then, before anything is read.
    await immediate();
    late.socket.write('\r\n'.repeat(20));
    const busyUntil = performance.now() + PATIENCE.headMs;
    while (performance.now() < busyUntil);
    expect(await late.closed).toBeGreaterThan(PATIENCE.headMs);
    expect(late.received()).toBe('');
  });

  it('receive a keep-alive timeout that is shorter than that of the server', async () => {
    await serve();
    const idle = peer();
    idle.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    while (!idle.received().endsWith('answered')) await sleep(5);
    const answered = performance.now();
    expect(idle.received()).toMatch(/^keep-alive: timeout=1\r$/im);
    await idle.closed;
    expect(performance.now() - answered).toBeGreaterThan(1800);
  });

  it('are not closed while their response is being computed', async () => {
    await serve((_request, response) => void setTimeout(() => response.end('at last'), 4 * PATIENCE.unreadMs));
    const patient = peer();
    patient.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    while (!patient.received().endsWith('at last')) await sleep(20);
  });

  it('get no more requests handled than answers read', async () => {
    let handled = 0;
    await serve((_request, response) => {
      handled += 1;
      response.end(LARGE.subarray(0, 64 * 1024));
    });
    const deaf = peer();
    deaf.socket.pause();
    deaf.socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(100_000));
    await sleep(PATIENCE.unreadMs);
    expect(handled).toBeGreaterThan(0);
    // What one read of the socket brings, and what the kernel holds.
    expect(handled).toBeLessThan(10_000);
    await opened.close(0);
  });
});

describe('CONNECT', () => {
  it('is answered like any other method, and the connection is closed', async () => {
    const opened = await listen({ host: '127.0.0.1', port: 0 }, (request, response) => {
      response.statusCode = 404;
      response.end(`${request.method} ${request.url}`);
    });
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(opened.address).port) });
    let text = '';
    socket.setEncoding('latin1').on('data', (part: string) => (text += part));
    socket.write('CONNECT a.example:443 HTTP/1.1\r\nHost: a.example:443\r\n\r\nmore');
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text).toMatch(/^HTTP\/1\.1 404 Not Found\r\n[^]*\r\nConnection: close\r\n[^]*CONNECT a\.example:443/);
    await opened.close(1000);
  });
});
