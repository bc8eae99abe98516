import type { IncomingMessage } from 'node:http';
import { requireScraper } from './metrics-access.js';

const refused = (remoteAddress: string, given: Record<string, string> = {}, token: string | null = null): boolean => {
  const headers = { host: '127.0.0.1:8080', ...given };
  try {
    requireScraper({ socket: { remoteAddress }, headers } as unknown as IncomingMessage, token);
    return false;
  } catch (error) {
    expect(error).toMatchObject({ status: 401 });
    return true;
  }
};

describe('/metrics on the public port', () => {
  it('is for this machine, without a proxy between', () => {
    for (const address of ['127.0.0.1', '127.8.9.1', '::1', '::ffff:127.0.0.1']) expect(refused(address)).toBe(false);
    for (const address of ['10.0.0.1', '::ffff:10.0.0.1', '2001:db8::1', '']) expect(refused(address)).toBe(true);
    for (const name of ['x-forwarded-for', 'forwarded', 'via', 'x-real-ip']) {
      expect(refused('127.0.0.1', { [name]: '203.0.113.9' })).toBe(true);
    }
    for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1', '127.1.2.3:80', '[::1]:8080', '[::1]']) {
      expect([host, refused('127.0.0.1', { host })]).toEqual([host, false]);
    }
    const socket = { remoteAddress: '127.0.0.1' };
    const asked = { socket, headers: { host: '127.0.0.1:8080' }, httpVersionMinor: 0 } as unknown as IncomingMessage;
    expect(() => requireScraper(asked, null)).toThrow('COUNTERSIGN_METRICS_TOKEN');
    // Those that a proxy without forwarding headers hands on.
    const others = [
      'countersign.example',
      'localhost.example',
      '127.0.0.1.example:80',
      '10.0.0.1',
      '[::2]',
      '',
      'localhost:x',
    ];
    for (const host of others) expect([host, refused('127.0.0.1', { host })]).toEqual([host, true]);
  });

  it('is for the sender of the token alone, where one is set', () => {
    const token = 'a-token-of-the-operator';
    expect(refused('10.0.0.1', { authorization: `Bearer ${token}` }, token)).toBe(false);
    expect(refused('10.0.0.1', { authorization: `bearer ${token}` }, token)).toBe(false);
    for (const authorization of ['', token, `Basic ${token}`, `Bearer ${token}x`, 'Bearer ']) {
      expect(refused('127.0.0.1', { authorization }, token)).toBe(true);
    }
  });
});
