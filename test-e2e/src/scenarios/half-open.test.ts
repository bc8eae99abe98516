import { once } from 'node:events';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';

const MEBIBYTE = 1024 * 1024;
/** More than could be buffered together if the bodies were as large as announced. */
const CHECKS = 400;
const LOGINS = 150;

describe('requests whose bodies never end', () => {
  let instance: Instance;
  let session: Awaited<ReturnType<Instance['session']>>;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    instance = await Instance.start();
    session = await instance.session();
  }, 60_000);
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });
  afterAll(() => instance.discard());

  /** Resolves when all given data are sent. */
  async function open(head: string, part: Buffer): Promise<void> {
    const { hostname, port } = new URL(instance.bootstrap.baseUrl);
    const socket = connect(Number(port), hostname);
    sockets.push(socket);
    socket.on('error', () => undefined).resume();
    await once(socket, 'connect');
    socket.write(`${head}\r\nHost: ${hostname}\r\nContent-Length: ${MEBIBYTE}\r\n\r\n`);
    await Promise.race([new Promise((resolve) => socket.write(part, resolve)), once(socket, 'close')]);
  }

  it('reserve no memory for announced bytes that are not sent', async () => {
    const head = `POST /v1/check HTTP/1.1\r\nx-service-key: ${instance.bootstrap.apiKey}`;
    await Promise.all(Array.from({ length: CHECKS }, () => open(head, Buffer.from('{'))));
    const answers = await Promise.all(Array.from({ length: 20 }, () => instance.check({ type: 'tool_use' })));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  });

  it('without a credential do not lock out callers with a session', async () => {
    const fill = (bytes: number, count: number): Promise<unknown> => {
      const part = Buffer.alloc(bytes, ' ');
      return Promise.all(Array.from({ length: count }, () => open('POST /v1/auth/login HTTP/1.1', part)));
    };
    await fill(MEBIBYTE - 1, LOGINS);
    await eventually('a login is refused for want of room', 60, async () => {
      // Smaller and smaller, until no memory is left. The smallest time out after seconds, so they are few and sent again.
      for (const bytes of [100_000, 10_000, 1000, 100, 20]) await fill(bytes, 12);
      const login = { email: 'a@example.com', password: 'x'.repeat(12) };
      const { status } = await instance.request('POST', '/v1/auth/login', { body: login });
      return status === 503 ? true : null;
    });
    const body = { name: 'made meanwhile' };
    const made = await instance.request('POST', '/v1/agents', { headers: session, body });
    expect(made).toMatchObject({ status: 201 });
    expect(await instance.check({ type: 'tool_use' })).toMatchObject({ status: 200 });
  });
});
