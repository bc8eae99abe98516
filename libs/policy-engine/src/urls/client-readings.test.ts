import fc from 'fast-check';
import { compileProfile } from '../compile-profile.js';
import { decide } from '../decide.js';
import { emptyProfile } from '../profile/profile-fields.js';
import { CLIENT_MODELS } from './client-models.test-kit.js';
import { normalHost } from './normal-host.js';
import { parseUrl } from './parse-url.js';
import { readUrl } from './read-url.js';

const hosts = fc.constantFrom(
  ...['good.example', 'evil.example', 'GOOD.example', 'boß.example', 'boss.example', 'εος.example', 'bücher.example'],
  ...['169.254.169.254', '0251.0376.0251.0376', '2852039166', '0xa9fea9fe', '169.254.43518', '010.0.0.1', '10.0.0.1'],
  ...[
    '[::ffff:169.254.169.254]',
    '[::1]',
    'localhost',
    'ｅvil.example',
    'evil。example',
    'evil%2eexample',
    'xn--bo-hia.example',
  ],
);
const between = fc.oneof(
  fc.constantFrom(
    '@',
    '\\\\@',
    '\\',
    '/',
    '//',
    '?',
    '#',
    ':',
    ':80',
    ':80@',
    ':@',
    '@@',
    ';',
    '%40',
    '%2f',
    '%5c',
    '\t',
    '\n',
    ' ',
    '\0',
    '.',
    '..',
    '＠',
    '／',
    '\u200d',
    '[',
    ']',
    '{',
    ',',
  ),
  fc.constantFrom('', '', '', '', '', '', 'user@', ':8080', '/@', '?@', '#@', '\\@'),
);
const scheme = fc.constantFrom(
  'http://',
  'https://',
  'http://',
  'https://',
  'http://',
  'https://',
  'http:',
  'http:/',
  'http:///',
  'http:\\\\',
  'HTTP://',
  ' http://',
  'http://\\',
  '//',
  '',
);
const text = fc
  .tuple(
    scheme,
    between,
    hosts,
    between,
    fc.option(hosts, { nil: '' }),
    between,
    fc.constantFrom('', '/', '/x', '/@evil.example/', '\\x'),
  )
  .map((parts) => parts.join(''));

/** One spelling for a client's destination: the name in its DNS query. */
function spelled(host: string): string | null {
  const url = parseUrl(`http://${host}/`);
  return url === null ? null : normalHost(url.hostname);
}

describe('a URL that is accepted', () => {
  it('leads every client to the host and port that it is judged by', () => {
    let taken = 0;
    fc.assert(
      fc.property(text, (received) => {
        const url = readUrl(received);
        if (typeof url === 'string') return;
        taken += 1;
        for (const [client, model] of Object.entries(CLIENT_MODELS)) {
          const reached = model(received);
          if (reached === null) continue;
          const host = spelled(reached.host);
          // What is not a name reaches nothing.
          if (host === null) continue;
          if ((host !== url.host && host !== url.otherHost) || reached.port !== url.port) {
            throw new Error(`${client} connects to ${host}:${reached.port}`);
          }
        }
      }),
      { numRuns: 1_500 },
    );
    expect(taken).toBeGreaterThan(30);
  });

  const { blocked, allowed } = {
    blocked: compileProfile({
      ...emptyProfile('018f4d5e-0000-7000-8000-000000000001'),
      blocked_apis: ['evil.example', '169.254.169.254', 'boss.example', '10.0.0.1'],
    }),
    allowed: compileProfile({
      ...emptyProfile('018f4d5e-0000-7000-8000-000000000001'),
      allowed_apis: ['good.example', 'xn--bo-hia.example'],
    }),
  };
  const BLOCKED = new Set(['evil.example', '169.254.169.254', 'boss.example', '10.0.0.1']);
  const ALLOWED = new Set(['good.example', 'xn--bo-hia.example']);

  it('is allowed where no client reaches a blocked host and all reach an allowed one', () => {
    const passed = { blocked: 0, allowed: 0 };
    fc.assert(
      fc.property(text, (received) => {
        const action = { type: 'http_call', url: received };
        const reached = Object.values(CLIENT_MODELS).flatMap((model) => spelled(model(received)?.host ?? '') ?? []);
        // Thrown: an `expect` for each of thousands takes most of the time.
        const refuse = (hosts: readonly string[], what: string): void => {
          if (hosts.length > 0) throw new Error(`${what}: a client reaches ${hosts.join()}`);
        };
        if (decide(blocked, action).violation === null) {
          passed.blocked += 1;
          refuse(
            reached.filter((host) => BLOCKED.has(host)),
            'not blocked',
          );
        }
        if (decide(allowed, action).violation === null) {
          passed.allowed += 1;
          refuse(
            reached.filter((host) => !ALLOWED.has(host)),
            'allowed',
          );
        }
      }),
      { numRuns: 1_500 },
    );
    expect(Math.min(passed.blocked, passed.allowed)).toBeGreaterThan(0);
  });
});
