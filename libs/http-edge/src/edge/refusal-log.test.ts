import { mintApiKey } from '@countersign/process';
import { RefusalLog } from './refusal-log.js';

describe('RefusalLog', () => {
  function setUp() {
    const lines: object[] = [];
    const write = (entry: object, words: string): void => void lines.push({ ...entry, words });
    let now = 5000;
    const log = new RefusalLog({ info: write, warn: write } as never, 'check', () => now);
    const from =
      (address: string, apiKey: string | null = null) =>
      () => ({ requestId: 'r-1', address, apiKey });
    return { lines, log, from, advance: (ms: number) => (now += ms) };
  }

  it('names the request, and in one second each address once for each status', () => {
    const { lines, log, from, advance } = setUp();
    for (let i = 0; i < 3; i += 1) log.refused(401, 'unknown key', from('192.0.2.1'));
    log.refused(401, 'unknown key', from('192.0.2.2'));
    log.refused(503, 'starting', () => null);
    advance(1000);
    log.refused(401, 'unknown key', from('192.0.2.1'));
    const refused = { words: 'check refused', status: 401, reason: 'unknown key', requestId: 'r-1', keyPrefix: null };
    expect(lines).toEqual([
      { ...refused, address: '192.0.2.1', more: 0 },
      { ...refused, address: '192.0.2.2', more: 2 },
      { words: 'check not answered', status: 503, reason: 'starting', more: 0 },
      { ...refused, address: '192.0.2.1', more: 0 },
    ]);
  });

  it('writes at most 20 lines of a status a second, whatever the number of addresses, and asks for no further source', () => {
    const { lines, log, from, advance } = setUp();
    let asked = 0;
    for (let i = 0; i < 1000; i += 1) {
      log.refused(401, 'unknown key', () => {
        asked += 1;
        return from(`192.0.2.${i}`)();
      });
    }
    expect([lines.length, asked]).toEqual([20, 20]);
    log.refused(503, 'starting', () => null);
    expect(lines).toHaveLength(21);
    advance(1000);
    log.refused(401, 'unknown key', from('192.0.2.1'));
    expect(lines.at(-1)).toMatchObject({ more: 980 });
  });

  it('takes the addresses of one IPv6 network as one place', () => {
    const { lines, log, from } = setUp();
    for (let i = 1; i < 9; i += 1) log.refused(401, 'unknown key', from(`2001:db8::${i}`));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ address: '2001:db8::1' });
  });

  it('shows the prefix of keys alone, never the beginning of another secret', () => {
    const { lines, log, from } = setUp();
    const key = mintApiKey((bytes) => new Uint8Array(bytes).fill(7));
    log.refused(401, 'revoked', from('192.0.2.1', key));
    log.refused(401, 'unknown key', from('192.0.2.2', 'correct horse battery staple'));
    expect(lines).toMatchObject([{ keyPrefix: key.slice(0, 16) }, { keyPrefix: null }]);
    expect(JSON.stringify(lines)).not.toContain('horse');
  });
});
