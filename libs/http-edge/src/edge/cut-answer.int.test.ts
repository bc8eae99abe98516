import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { HttpAnswer, writeAnswer } from './answer.js';
import { listen } from './server.js';

describe('a stream that is cut', () => {
  it('ends together with its connection, also while the client does not read', async () => {
    const cut = new AbortController();
    let pieces = 0;
    let ended = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          pieces += 1;
          yield Buffer.alloc(1024 * 1024);
        }
      } finally {
        ended = true;
      }
    }
    const server = await listen({ host: '127.0.0.1', port: 0 }, (_request, response) => {
      void writeAnswer(response, HttpAnswer.stream(200, 'text/plain', endless(), {}, cut.signal));
    });
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(server.address).port) });
    try {
      socket.on('error', () => undefined).pause();
      const closed = new Promise((resolve) => socket.once('close', resolve));
      socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
      for (let before = -1; pieces === 0 || pieces !== before;) {
        before = pieces;
        await sleep(50);
      }
      expect(ended).toBe(false);
      cut.abort();
      while (!ended) await sleep(10);
      socket.resume();
      await closed;
    } finally {
      socket.destroy();
      await server.close(1000);
    }
  });
});
