import { Agent, createServer, request } from 'node:http';
import type { ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { TurnedAway } from './turned-away.js';

const CALLERS = 300;
const AT_ONCE = 200;
const LONG_BODY = 'x'.repeat(300_000);

describe('who is turned away', () => {
  it('is answered at once, but for a crowd: it is answered when the turn ends, and may come again', async () => {
    const away = new TurnedAway(AT_ONCE);
    const seen: ServerResponse[] = [];
    let answeredFirst = 0;
    const server = createServer((_, response) => {
      seen.push(response);
      away.answer(response, '{"allowed":false}', true);
      if (seen.length !== CALLERS) return;
      answeredFirst = seen.filter(({ writableEnded }) => writableEnded).length;
      away.endTurn();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const agent = new Agent({ keepAlive: true });
    const ask = (body: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const asked = request({ port, host: '127.0.0.1', method: 'POST', agent }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode!));
        });
        asked.on('error', reject).end(body);
      });
    try {
      const statuses = await Promise.all(
        Array.from({ length: CALLERS }, (_, i) => ask(i % 100 === 0 ? LONG_BODY : 'short')),
      );
      expect(new Set(statuses)).toEqual(new Set([503]));
      expect(answeredFirst).toBe(AT_ONCE);
      // Their connections take the next request, whatever was not read of the last one.
      expect(new Set(await Promise.all(Array.from({ length: 100 }, () => ask('again'))))).toEqual(new Set([503]));
    } finally {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });
});
