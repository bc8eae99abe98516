import { Countersign } from './index.js';

const AGENT = '0b9f4a0e-6f2b-4f3a-9b0e-0d3f5d1c2a77';

describe('a client', () => {
  it.each(['', 'two words', 'déjà', 'line\nbreak', 'k'.repeat(256)])(
    'sends no key of a call that no header can bear, and is not open for it: %j',
    async (idempotencyKey) => {
      const asked: string[] = [];
      const fetch = (url: string) => {
        asked.push(url);
        return Promise.resolve(new Response('{"allowed":true}'));
      };
      const open = new Countersign({ apiKey: 'k', agentId: AGENT, failMode: 'open', fetch });
      await expect(open.check({ actionType: 'pay' }, { idempotencyKey })).rejects.toThrow(/idempotencyKey/u);
      expect(asked).toEqual([]);
    },
  );

  it('waits no longer than it says, whatever the fetch that it was given does', async () => {
    const fetch = () => new Promise<Response>(() => undefined);
    const stuck = new Countersign({ apiKey: 'k', agentId: AGENT, retries: 0, attemptTimeoutMs: 20, fetch });
    expect(await stuck.check({ actionType: 'pay' })).toMatchObject({ allowed: false, violations: ['timeout'] });
    const left = new AbortController();
    const asked = stuck.check({ actionType: 'pay' }, { signal: left.signal });
    left.abort(new Error('no longer needed'));
    await expect(asked).rejects.toThrow('no longer needed');
  });

  it('reads no answer without end, and one in pieces whole', async () => {
    let sent = 0;
    let ended = false;
    const endless = (_url: string, { signal }: RequestInit) => {
      signal?.addEventListener('abort', () => (ended = true));
      const piece = new Uint8Array(64 * 1024).fill(0x20);
      const body = new ReadableStream({ pull: (to) => (to.enqueue(piece), void (sent += piece.length)) });
      return Promise.resolve(new Response(body));
    };
    const options = { apiKey: 'k', agentId: AGENT, retries: 0 };
    const long = await new Countersign({ ...options, fetch: endless }).check({ actionType: 'pay' });
    expect(long).toMatchObject({ allowed: false, violations: ['invalid_response'] });
    expect([sent < 2 * 1024 * 1024, ended]).toEqual([true, true]);
    const text = new TextEncoder().encode('{"allowed":false,"reason":"zu groß"}');
    const fetch = () => {
      const pieces = [...text].map((byte) => Uint8Array.of(byte));
      const body = new ReadableStream({
        pull: (to) => (pieces.length === 0 ? to.close() : to.enqueue(pieces.shift())),
      });
      return Promise.resolve(new Response(body));
    };
    const whole = new Countersign({ ...options, fetch, timeoutMs: Infinity, attemptTimeoutMs: Infinity });
    expect(await whole.check({ actionType: 'pay' })).toMatchObject({ allowed: false, reason: 'zu groß' });
  });
});
