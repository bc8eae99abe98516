import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { connect } from 'node:net';
import type { AddressInfo } from 'node:net';
import { sendUnavailable } from './answers.js';
import { readBody } from './read-body.js';

describe('a check that is not answered in time', () => {
  let server: Server;

  beforeEach(async () => {
    server = createServer((request, response) => {
      readBody(
        request,
        -1,
        () => true,
        () => undefined,
      );
      setTimeout(() => sendUnavailable(response, 'deadline_exceeded', 'late', null, 'r-1'), 50);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  /** The response until the connection ends, or for two seconds. */
  const send = (text: string): Promise<{ readonly answer: string; readonly closed: boolean }> =>
    new Promise((resolve, reject) => {
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1', () => socket.write(text));
      let answer = '';
      const timer = setTimeout(() => {
        socket.destroy();
        resolve({ answer, closed: false });
      }, 2000);
      socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
      socket.on('end', () => {
        clearTimeout(timer);
        socket.end();
        resolve({ answer, closed: true });
      });
      socket.on('error', reject);
    });

  it('closes the connection of a client that is still sending, and so releases its body', async () => {
    const { answer, closed } = await send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
    expect([answer.slice(0, 12), closed]).toEqual(['HTTP/1.1 503', true]);
    expect(answer).toContain('"code":"deadline_exceeded"');
  });

  it('keeps the connection of a client that has sent everything', async () => {
    const { answer, closed } = await send('POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}');
    expect([answer.slice(0, 12), closed]).toEqual(['HTTP/1.1 503', false]);
  });
});
