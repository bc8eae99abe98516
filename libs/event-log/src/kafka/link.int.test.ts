import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { promisify } from 'node:util';

const ENDS_WITHIN_MS = 30_000;

/** Sends a broker one request, and has nothing left to do. */
const PROGRAM = `
  const { Link } = await import(process.argv[1]);
  const link = new Link(process.argv[2], { clientId: 'link', tls: null, sasl: null });
  await link.ask('ApiVersions', {}, 1000).catch((error) => console.log(error.message));
  link.close();
`;

describe('a connection that the broker ends at once', () => {
  let server: Server;
  beforeAll(async () => {
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.end();
      socket.resume();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => server.close());

  it('does not keep a process from exiting', async () => {
    const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const link = new URL('./link.js', import.meta.url).href;
    const program = ['--input-type=module', '-e', PROGRAM, link, address];
    const { stdout } = await promisify(execFile)(process.execPath, program, { timeout: ENDS_WITHIN_MS });
    expect(stdout).toContain(`cannot reach ${address}`);
  }, 60_000);
});
