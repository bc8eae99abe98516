import { readdirSync } from 'node:fs';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { sendBytes } from '../instance/raw-request.js';
import type { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { residentFor } from '../server-faults/memory.js';
import { Scratch } from './scratch.js';

const IDLE = 5000;
const DRIBBLING = 200;
const MOST_MIB = 160;

interface Held {
  readonly socket: Socket;
  text: string;
}

describe('thousands of clients that hold a connection and send little', () => {
  const scratch = new Scratch();
  const held: Held[] = [];
  let instance: Instance;
  beforeAll(async () => {
    instance = await scratch.start();
  }, 90_000);
  afterAll(async () => {
    for (const { socket } of held) socket.destroy();
    await scratch.discard();
  });

  /** In batches: this process has only one core for them. */
  const hold = async (baseUrl: string, count: number): Promise<Held[]> => {
    const { hostname, port } = new URL(baseUrl);
    const opened: Held[] = [];
    while (opened.length < count) {
      const some = Array.from({ length: Math.min(250, count - opened.length) }, async () => {
        const socket = connect(Number(port), hostname);
        const one: Held = { socket, text: '' };
        socket.setEncoding('latin1').on('data', (part: string) => (one.text += part));
        await new Promise<void>((resolve, reject) => socket.once('connect', resolve).once('error', reject));
        socket.on('error', () => undefined);
        return one;
      });
      opened.push(...(await Promise.all(some)));
    }
    held.push(...opened);
    return opened;
  };

  it('cost some memory and files until their timeout, and checks are decided meanwhile', async () => {
    const { baseUrl } = instance.bootstrap;
    const files = (): number => readdirSync(`/proc/${instance.pid}/fd`).length;
    for (let n = 0; n < 200; n += 1) expect((await instance.check({ type: 'tool_use' })).status).toBe(200);
    const resident = async (): Promise<number> => Math.min(...(await residentFor(instance.pid, 500)));
    const before = { files: files(), resident: await resident() };

    const idle = await hold(baseUrl, IDLE);
    const dribbling = await hold(baseUrl, DRIBBLING);
    const heads = ['GET /healthz HTTP/1.1\r\nHost: a\r\nX-More: ', 'POST /v1/check HTTP/1.1\r\nHost: a\r\nX-More: '];
    dribbling.forEach(({ socket }, n) => socket.write(heads[n % heads.length]!));
    expect(files()).toBeGreaterThan(IDLE / 2);
    for (let round = 0; round < 20; round += 1) {
      for (const { socket } of dribbling) if (socket.writable) socket.write('x');
      expect((await instance.check({ type: 'tool_use' })).status).toBe(200);
      await sleep(100);
    }
    expect((await resident()) - before.resident).toBeLessThan(MOST_MIB);

    await eventually('all are closed', 40, async () => {
      for (const { socket } of dribbling) if (socket.writable) socket.write('x');
      return held.every(({ socket }) => socket.destroyed) ? true : null;
    });
    expect(idle.filter(({ text }) => text !== '')).toEqual([]);
    expect(dribbling.filter(({ text }) => !text.startsWith('HTTP/1.1 408 '))).toEqual([]);
    await eventually('their files are closed', 30, async () => (files() <= before.files + 20 ? true : null));
  }, 120_000);

  it('are answered if they send CONNECT', async () => {
    const ask = (line: string): ReturnType<typeof sendBytes> =>
      sendBytes(instance.bootstrap.baseUrl, `${line} HTTP/1.1\r\nHost: a\r\n\r\n`);
    expect(await ask('CONNECT a.example:443')).toMatchObject({ statuses: [404], closed: true });
    expect(await ask('CONNECT /v1/check')).toMatchObject({ statuses: [405], closed: true });
    expect((await instance.check({ type: 'tool_use' })).status).toBe(200);
  }, 60_000);
});
