import { asHttps, readTlsAddress } from './tls-address.js';

const read = (text: string, allowed: readonly string[] = []): string => {
  const found = readTlsAddress(text, allowed, 'url');
  return 'problem' in found ? found.problem : found.url.href;
};

describe('the address of a receiver of TLS', () => {
  it.each([
    ['tls://siem.example.com:6514', 'tls://siem.example.com:6514'],
    ['tls://siem.example.com', 'tls://siem.example.com:6514'],
    ['TLS://SIEM.example.com:443/', 'tls://siem.example.com:443'],
    ['tls://bücher.example:6514', 'tls://xn--bcher-kva.example:6514'],
    ['tls://8.8.8.8', 'tls://8.8.8.8:6514'],
    ['tls://[2606:4700::1111]', 'tls://[2606:4700::1111]:6514'],
  ])('may be %s', (text, address) => expect(read(text)).toBe(address));

  it.each([
    ['https://siem.example.com:6514', 'url must be tls://host:port'],
    ['siem.example.com:6514', 'url must be tls://host:port'],
    ['tls://', 'url must be tls://host:port'],
    ['tls://siem.example.com:6514/path', 'url must be tls://host:port'],
    ['tls://siem.example.com:6514?a=b', 'url must be tls://host:port'],
    ['tls://siem.example.com\\@10.0.0.1:6514', 'url must be tls://host:port'],
    ['tls://siem.example.com:70000', 'url must be a URL'],
    ['tls://user:pw@siem.example.com:6514', 'url must not hold a user or a password'],
    ['tls://localhost:6514', 'url must be publicly reachable'],
    ['tls://intranet:6514', 'url must be publicly reachable'],
    ['tls://syslog.internal:6514', 'url must be publicly reachable'],
    ['tls://10.1.2.3:6514', 'url must be publicly reachable'],
    ['tls://0x7f.1:6514', 'url must be publicly reachable'],
    ['tls://2130706433:6514', 'url must be publicly reachable'],
    ['tls://１２７.0.0.1:6514', 'url must be publicly reachable'],
    ['tls://[::1]:6514', 'url must be publicly reachable'],
    ['tls://[::ffff:10.0.0.1]:6514', 'url must be publicly reachable'],
  ])('is not %s', (text, problem) => expect(read(text)).toContain(problem));

  it('may be any host and port that the operator has allowed, and no other port of it', () => {
    const allowed = ['127.0.0.1:6514', 'syslog.internal:443'];
    expect(read('tls://127.0.0.1', allowed)).toBe('tls://127.0.0.1:6514');
    expect(read('tls://syslog.internal:443', allowed)).toBe('tls://syslog.internal:443');
    expect(read('tls://127.0.0.1:6515', allowed)).toContain('publicly reachable');
    expect(read('tls://syslog.internal', allowed)).toContain('publicly reachable');
  });

  it('is checked as the same host and port of https', () => {
    expect(asHttps(new URL('tls://siem.example.com:6514')).href).toBe('https://siem.example.com:6514/');
    expect(asHttps(new URL('tls://[2606:4700::1111]:443')).href).toBe('https://[2606:4700::1111]/');
  });
});
