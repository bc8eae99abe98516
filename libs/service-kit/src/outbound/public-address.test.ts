import { isPublicAddress } from './public-address.js';
import { readPublicUrl } from './public-url.js';

describe('an address on the public internet', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '100.128.0.1', '2606:4700::1111', '2a00:1450:4001:800::200e'])(
    'is %s',
    (address) => expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.255',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.192',
    '192.168.1.1',
    '198.18.0.1',
    '198.51.100.7',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:8.8.8.8',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'ff02::1',
    'localhost',
    '',
  ])('is not %s', (address) => expect(isPublicAddress(address)).toBe(false));
});

describe('the URL of a request to others', () => {
  const problemOf = (text: string, allowed: readonly string[] = []): string | null => {
    const read = readPublicUrl(text, allowed);
    return 'problem' in read ? read.problem : null;
  };

  it.each(['https://hooks.example.com/a?b=c', 'https://8.8.8.8/', 'https://[2606:4700::1111]:8443/x'])(
    'may be %s',
    (text) => expect(problemOf(text)).toBeNull(),
  );

  it.each([
    'no url',
    'http://hooks.example.com/',
    'ftp://hooks.example.com/',
    'https://user:pw@hooks.example.com/',
    'https://localhost/',
    'https://LOCALHOST./',
    'https://intranet/',
    'https://db.internal/',
    'https://printer.local/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://１２７.0.0.1/',
    'https://169.254.169.254/latest/meta-data',
    'https://[::1]/',
    'https://[::ffff:10.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
  ])('is not %s', (text) => expect(problemOf(text)).not.toBeNull());

  it('may be any host and port that the operator has allowed, and no other port of it', () => {
    const allowed = ['127.0.0.1:9000', 'relay.internal:443'];
    expect(problemOf('http://127.0.0.1:9000/x', allowed)).toBeNull();
    expect(problemOf('https://relay.internal/x', allowed)).toBeNull();
    expect(problemOf('http://127.0.0.1:9001/x', allowed)).not.toBeNull();
    expect(problemOf('http://relay.internal/x', allowed)).not.toBeNull();
  });
});
