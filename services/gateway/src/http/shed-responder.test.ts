import { Agent, createServer, request } from 'node:http';
import type { RequestListener, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { RequestIds } from './request-ids.js';
import { ShedResponder } from './shed-responder.js';

const CALLERS = 300;
const LONG_BODY = 'x'.repeat(300_000);
const BODY = '{"allowed":false}';

type Ask = (body: string) => Promise<number>;

/** @param connections at most */
async function served(connections: number, listener: RequestListener, test: (ask: Ask) => Promise<void>) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  try {
    await test(
      (body) =>
        new Promise((resolve, reject) => {
          const asked = request({ port, host: '127.0.0.1', method: 'POST', agent }, (response) => {
            response.resume().on('end', () => resolve(response.statusCode!));
          });
          asked.on('error', reject).end(body);
        }),
    );
  } finally {
    agent.destroy();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

describe('a load-shed request', () => {
  it('is answered at once where ticks are short, else at the end of the tick, and may be sent again', async () => {
    const responder = new ShedResponder(new RequestIds());
    const seen: ServerResponse[] = [];
    let answeredFirst = 0;
    const listener: RequestListener = (_, response) => {
      seen.push(response);
      responder.answer(response, BODY, seen.length % 3 !== 0);
      if (seen.length > CALLERS) setImmediate(() => responder.endTick());
      if (seen.length !== CALLERS) return;
      answeredFirst = seen.filter(({ writableEnded }) => writableEnded).length;
      responder.endTick();
    };
    await served(CALLERS, listener, async (ask) => {
      const bodies = Array.from({ length: CALLERS }, (_, i) => (i % 100 === 0 ? LONG_BODY : 'short'));
      expect(new Set(await Promise.all(bodies.map(ask)))).toEqual(new Set([503]));
      expect(answeredFirst).toBe((CALLERS * 2) / 3);
      // Their connections take the next request, even with an unread body of the last one.
      expect(new Set(await Promise.all(Array.from({ length: 100 }, () => ask('again'))))).toEqual(new Set([503]));
    });
  });

  it('is answered at once only once per tick: a repetition waits for its end', async () => {
    const responder = new ShedResponder(new RequestIds());
    let newest: ServerResponse | null = null;
    let came: () => void = () => undefined;
    const listener: RequestListener = (_, response) => {
      newest = response;
      responder.answer(response, BODY, true);
      came();
    };
    await served(1, listener, async (ask) => {
      expect(await ask('first')).toBe(503);
      const second = new Promise<void>((resolve) => (came = resolve));
      const answered = ask('second');
      await second;
      expect(newest!.writableEnded).toBe(false);
      responder.endTick();
      expect(await answered).toBe(503);
      expect(await ask('third')).toBe(503);
    });
  });
});
