import type { Instance } from '../instance/instance.js';
import { onEachProfile } from '../instance/profiles.js';
import { sendBytes } from '../instance/raw-request.js';
import { randomHead, type Known } from './random-heads.js';

const HEADS = 200;
const AT_ONCE = 16;

onEachProfile('heads of requests', (start) => {
  let instance: Instance;
  let known: Known;
  let body: string;
  beforeAll(async () => {
    instance = await start();
    const { agentId, apiKey, baseUrl } = instance.bootstrap;
    body = JSON.stringify({ agentId, action: { type: 'tool_use' } });
    known = { apiKey, host: new URL(baseUrl).host, body };
  }, 90_000);
  afterAll(() => instance.discard());

  const ask = (head: readonly string[], content = ''): ReturnType<typeof sendBytes> =>
    sendBytes(instance.bootstrap.baseUrl, `${head.join('\r\n')}\r\n\r\n${content}`);
  const check = (...headers: readonly string[]): readonly string[] => [
    'POST /v1/check HTTP/1.1',
    `x-service-key: ${known.apiKey}`,
    ...headers,
  ];
  const chunks = (): string => `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;

  it.each<readonly [string, readonly string[], number]>([
    ['two hosts', ['Host: a', 'Host: a'], 400],
    ['two hosts in one header', ['Host: a, b'], 400],
    ['no host', [], 400],
    ['gzip, then chunked', ['Host: a', 'Transfer-Encoding: gzip, chunked'], 501],
    ['the same in two headers', ['Host: a', 'Transfer-Encoding: gzip', 'Transfer-Encoding: chunked'], 501],
    ['chunked twice', ['Host: a', 'Transfer-Encoding: chunked, chunked'], 400],
    ['a length with chunks', ['Host: a', 'Transfer-Encoding: chunked', 'Content-Length: 5'], 400],
    ['two lengths', ['Host: a', 'Content-Length: 5', 'Content-Length: 6'], 400],
  ])('a check, a dashboard route, a probe and an unknown route refuse %s', async (_what, headers, status) => {
    const first = ['GET /v1/events HTTP/1.1', 'GET /healthz HTTP/1.1', 'GET /nothing HTTP/1.1'];
    for (const head of [check(...headers), ...first.map((line) => [line, ...headers])]) {
      const inChunks = headers.some((header) => header.startsWith('Transfer-Encoding'));
      const { statuses, text, closed } = await ask(head, inChunks ? chunks() : '');
      expect([head[0], statuses, closed]).toEqual([head[0], [status], true]);
      expect(Object.keys(JSON.parse(text.slice(text.indexOf('\r\n\r\n') + 4)) as object)).toEqual(['error']);
    }
  });

  it('ignores everything after a refused head', async () => {
    const before = (await instance.request('GET', '/metrics')).text;
    const length = `Content-Length: ${Buffer.byteLength(body)}`;
    const whole = check('Host: a', length).join('\r\n');
    const { statuses } = await ask(check('Host: a', 'Host: b'), `${whole}\r\n\r\n${body}`);
    expect(statuses).toEqual([400]);
    const answered = (text: string): string[] => text.split('\n').filter((line) => line.includes('checks_total'));
    expect(answered((await instance.request('GET', '/metrics')).text)).toEqual(answered(before));
  });

  it('accepts a chunked check, in any letter case of the header', async () => {
    for (const coding of ['chunked', 'Chunked', ' CHUNKED ']) {
      const { statuses } = await ask(check('Host: a', `Transfer-Encoding:${coding}`, 'Connection: close'), chunks());
      expect(statuses).toEqual([200]);
    }
  });

  it(`answers or closes each of ${HEADS} random heads, and none with an internal error`, async () => {
    const found: unknown[] = [];
    let next = 0;
    const work = async (): Promise<void> => {
      while (next < HEADS) {
        const seed = next++;
        const head = randomHead(seed, known);
        const { statuses, closed } = await sendBytes(instance.bootstrap.baseUrl, head);
        const wrong = statuses.filter((status) => status >= 500 && status !== 501 && status !== 505);
        if (!closed || wrong.length > 0) found.push({ seed, head: head.slice(0, 500), statuses, closed });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    expect(found).toEqual([]);
    expect((await instance.check({ type: 'tool_use' })).status).toBe(200);
  }, 80_000);
});
