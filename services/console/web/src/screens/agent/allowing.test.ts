import { compileProfile, decide, emptyProfile, isCallType, isToolType } from '@countersign/policy-engine';
import type { EventRecord } from '@countersign/contracts';
import type { ProfileFields } from '../../api/profile.js';
import { allowWords } from '../../words/agent.js';
import { allowing, whyNotAllowed } from './allowing.js';

type Denial = Parameters<typeof allowing>[0];
type Action = Readonly<Record<string, unknown>>;

const violation = (profile: ProfileFields, action: Action) =>
  decide(compileProfile({ ...emptyProfile('018f4d5e-0000-7000-8000-000000000001'), ...profile }), action).violation;

/** The offer for a denial with the words of the engine. */
function offered(profile: ProfileFields, action: Action): ReturnType<typeof allowing> {
  const denied = violation(profile, action);
  if (denied === null) throw new Error(`${JSON.stringify(action)} is not denied`);
  return allowing({ ...denied, action } as unknown as Denial, profile);
}

const denied = (violation_type: string, rule: string, action: unknown = {}): Denial =>
  ({ violation_type, rule, reason: '', action }) as unknown as Pick<EventRecord, keyof Denial>;

const http = (url: string): Action => ({ type: 'http_call', url });
const tool = (name: string): Action => ({ type: 'tool_use', tool_name: name });
const scope = (name: string): Action => ({ type: 'data_access', dataScope: name });

it('what is drafted allows the action, and no other that it was not to', () => {
  const url = 'https://api.example.com:8443/v1/mails';
  for (const [list, entries, action, drafted, others] of [
    [
      'blocked_apis',
      ['x.example', 'evil.example'],
      http('https://evil.example/a'),
      ['x.example'],
      [http('https://x.example/')],
    ],
    ['off_limits_actions', ['pay', 'send_mail'], tool('send_mail'), ['pay'], [tool('pay')]],
    ['blocked_data_scopes', ['crm/a', 'crm/b'], scope('crm/b'), ['crm/a'], [scope('crm/a')]],
    [
      ...(['allowed_apis', ['a.example'], http(`${url}?q=1`), ['a.example', url]] as const),
      [
        'https://api.example.com/v1/mails',
        'https://api.example.com:8443/v1/mailsx',
        'https://api.example.com:8443/',
      ].map(http),
    ],
    [
      'allowed_apis',
      ['read'],
      tool('send_mail'),
      ['read', 'send_mail'],
      [tool('send'), http('https://send-mail.example/')],
    ],
    ['allowed_actions', ['read'], tool('send_mail'), ['read', 'send_mail'], [tool('send'), http(url)]],
    ['allowed_actions', ['read'], { type: 'payment' }, ['read', 'payment'], [tool('pay'), { type: 'payments' }]],
    [
      'allowed_data_scopes',
      ['crm/names'],
      scope('crm/mail'),
      ['crm/names', 'crm/mail'],
      [scope('crm'), scope('crm/mail/x')],
    ],
  ] as const) {
    const changes = { [list]: drafted };
    expect(offered({ [list]: entries }, action)).toEqual({ changes, also: allowWords.also[list] });
    expect(violation(changes, action)).toBeNull();
    for (const other of others) expect([other, violation(changes, other)?.rule]).toEqual([other, expect.any(String)]);
  }
});

it('nothing is drafted that the engine would read as more than what was asked', () => {
  const wide = { why: allowWords.wide };
  for (const entry of ['*', 'evil.*', '*.example', 'https://evil.example/a', 'evil.example/a'])
    expect(offered({ blocked_apis: [entry] }, { ...http('https://evil.example/a'), tool_name: 'evil.x' })).toEqual(
      wide,
    );
  for (const entry of ['*', 'tool*', 'tool_use'])
    expect(offered({ off_limits_actions: [entry] }, tool('x'))).toEqual(wide);
  for (const entry of ['crm/*', 'crm/%2a'])
    expect(offered({ blocked_data_scopes: [entry] }, scope('crm/x'))).toEqual(wide);

  const none = { why: allowWords.noEntry };
  for (const name of [
    ...[
      'evil.example',
      'evil.example:443',
      'https://evil.example/',
      'evil.example/x',
      'localhost',
      '[::1]',
      '::1',
      '@evil',
    ],
    ...['2130706433', '0x7f000001', '127.1', 'evil。example', 'evil%2eexample', 'a.*', '*', 'a b', 'a\\b'],
  ])
    expect([name, offered({ allowed_apis: ['b'] }, tool(name))]).toEqual([name, none]);
  for (const url of [
    ...[
      'https://api.example.com',
      'https://api.example.com/',
      'https://api.example.com/?q',
      'https://api.example.com/a*',
    ],
    ...[
      'https://api.example.com/a%2e',
      'https://api.example.com/a/../b',
      'https://api.example.com/a;b',
      'http://API.example/a',
    ],
  ])
    expect([url, offered({ allowed_apis: ['b.example'] }, http(url))]).toEqual([url, none]);
  const types = ['http_call', 'llm_response', 'data_access', 'tool_use', 'Tool-Call', 'mcp', 'fetch', 'api request'];
  for (const name of [...types, 'pay.*', 'p\u0430y']) {
    expect([name, offered({ allowed_actions: ['b'] }, tool(name))]).toEqual([name, none]);
    expect([name, offered({ allowed_actions: ['b'] }, { type: name })]).toEqual([name, expect.any(Object)]);
    if (isToolType(name) || isCallType(name))
      expect(offered({ allowed_actions: ['b'] }, { type: name })).toHaveProperty('why');
  }
  for (const name of ['crm/%2a', 'crm/＊', 'crm/*'])
    expect(offered({ allowed_data_scopes: ['b'] }, scope(name))).toEqual(none);
  const inArgument = { ...tool('b'), payload: { to: 'https://evil.example/a' } };
  expect(offered({ allowed_apis: ['b', 'b.example'] }, inArgument)).toEqual(none);
});

it('without a single change that follows it has a reason', () => {
  for (const type of [
    ...['unsafe_output', 'spending_limit_exceeded', 'rate_limit_exceeded', 'limit_exceeded', 'rule_denied'],
    ...['approval_required', 'rule_error'],
  ] as const)
    expect(whyNotAllowed(denied(type, 'blocked_apis:x'))).toBe(allowWords.types[type as keyof typeof allowWords.types]);
  expect(offered({ blocked_apis: ['x'] }, http('nowhere'))).toEqual({ why: allowWords.unjudged });
  expect(whyNotAllowed(denied('later_type', 'rule:x'))).toBe(allowWords.unknown);
  expect(whyNotAllowed(denied('api_not_allowed', 'allowed_apis:not listed', null))).toBe(allowWords.erased);
  const gone = denied('api_not_allowed', 'blocked_apis:evil.example');
  expect(allowing(gone, { blocked_apis: null })).toEqual({ why: allowWords.changedSince });
});
