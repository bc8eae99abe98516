import { compileRules, problemText, ruleTexts } from '../index.js';
import { PORTS } from '../rules.test-kit.js';

/** The first problem, as its author reads it. */
function problem(members: unknown): string | null {
  const result = compileRules(members, PORTS);
  return 'problems' in result ? problemText(result.problems[0]!) : null;
}

const rule = (member: object) => ({ rules: [{ id: 'r', effect: 'deny', ...member }] });
const approve = (member: object) => rule({ effect: 'approve', ...member });
const fact = (member: object) => ({ facts: [{ id: 'f', set_when: 'true', ...member }] });
const limit = (member: object) => ({ limits: [{ id: 'l', window_seconds: 60, ...member }] });

test('members that are absent, empty, or complete', () => {
  expect(problem({})).toBeNull();
  expect(problem({ rules: [], facts: [], limits: [] })).toBeNull();
  expect(
    problem({
      rules: [
        { id: 'refund-cap', tools: ['refund'], args: { amount: { max: 100 } }, effect: 'deny_unless', severity: 'P2' },
        { id: 'mail-inside', tools: ['send_email'], args: { to: { domain_in: ['acme.com'] } }, effect: 'deny_unless' },
        {
          id: 'no-exfil',
          types: ['http_call'],
          when: "facts.secret_read && !(has(action.url) && host_in(action.url,['acme.com']))",
          effect: 'deny',
          reason: 'no external send after a secret was read',
        },
        {
          id: 'night',
          tools: ['refund'],
          hours: { zone: 'Europe/Berlin', days: 'mon-fri', outside: '07:00-19:00' },
          effect: 'approve',
          approvers: { roles: ['owner'], min: 1 },
          expires_seconds: 900,
        },
        {
          id: 'four-eyes',
          effect: 'approve',
          approvers: { users: ['a@acme.com', 'b@acme.com'], min: 2, not_requester: true, not_policy_editor: true },
          reuse: { until_seconds: 3600, scope: 'tool' },
          ignore: ['description', 'payload.note'],
        },
      ],
      facts: [
        {
          id: 'secret_read',
          set_when: "args.path.startsWith('/secrets/')",
          on: 'allowed',
          scope: 'session',
          ttl_seconds: 86400,
        },
      ],
      limits: [
        { id: 'mail-hour', tools: ['send_email'], key: 'args.to[0]', max_count: 5, window_seconds: 3600 },
        {
          id: 'spend',
          tools: ['refund', 'pay'],
          sum: 'args.amount',
          max_sum: '500.00',
          window_seconds: 86400,
          reserve: true,
        },
      ],
    }),
  ).toBeNull();
});

test.each([
  [{ rules: {} }, 'rules: must be a list'],
  [
    { rules: Array.from({ length: 101 }, (_, at) => ({ id: `r${at}`, effect: 'deny' })) },
    'rules: has more than 100 entries',
  ],
  [
    { facts: Array.from({ length: 33 }, (_, at) => ({ id: `f${at}`, set_when: 'true' })) },
    'facts: has more than 32 entries',
  ],
  [{ rules: [1] }, 'rules[0]: must be an object'],
  [{ rules: [{ effect: 'deny' }] }, 'rules[0]: must have the member id'],
  [rule({ id: 'R' }), 'rules[0] "R", id: must match ^[a-z0-9][a-z0-9_-]{0,63}$'],
  [{ rules: [...rule({}).rules, ...rule({}).rules] }, 'rules[1] "r", id: is that of another element of the list'],
  [
    rule({ effect: 'allow' }),
    'rules[0] "r", effect: must be "deny" or "deny_unless" or "modify" or "defer" or "approve"',
  ],
  [
    rule({ wen: 'true' }),
    'rules[0] "r": has an unknown field "wen". Did you mean "when"? Known fields: id, tools, types, args, when, hours, effect, mode, severity, reason, approvers, expires_seconds, reuse, ignore, patch, missing, retry_after_seconds',
  ],
  [
    rule({ effect: 'deny_unless' }),
    'rules[0] "r", effect: is deny_unless without a condition: add args, when or hours',
  ],
  [rule({ tools: [] }), 'rules[0] "r", tools: must not be empty'],
  [rule({ tools: ['a*b'] }), 'rules[0] "r", tools[0]: has a * that is not its last character: write names as crm.*'],
  [rule({ expires_seconds: 5 }), 'rules[0] "r", expires_seconds: is given without the effect approve'],
  [rule({ ignore: ['note'] }), 'rules[0] "r", ignore: is given without the effect approve'],
  [approve({ reuse: { scope: 'exact' } }), 'rules[0] "r", reuse: must have the member until_seconds'],
  [approve({ reuse: { scope: 'agent', until_seconds: 60 } }), 'rules[0] "r", reuse.scope: must be "exact" or "tool"'],
  [
    approve({ ignore: ['note', 'payload..note'] }),
    'rules[0] "r", ignore[1]: is not a path: write description, or payload.note',
  ],
  [
    approve({ approvers: { users: ['a@acme.com'], min: 2 } }),
    'rules[0] "r", approvers.min: needs 2 people, and users names 1',
  ],
  [
    approve({ approvers: { users: ['a@acme.com', 'a@acme.com'], min: 2 } }),
    'rules[0] "r", approvers.users[1]: is in the list twice',
  ],
  [approve({ approvers: { roles: ['admin', 'admin'] } }), 'rules[0] "r", approvers.roles[1]: is in the list twice'],
  [rule({ hours: { zone: 'Europe/Atlantis' } }), 'rules[0] "r", hours.zone: is not a time zone: write Europe/Berlin'],
  [
    rule({ hours: { zone: 'UTC', inside: '07:00-25:00' } }),
    'rules[0] "r", hours: has times that are not of the form 07:00-19:00',
  ],
  [
    rule({ hours: { zone: 'UTC', days: 'mo-fr' } }),
    'rules[0] "r", hours: has days that are not of the form mon-fri, sat,sun or daily',
  ],
  [rule({ args: { amount: {} } }), 'rules[0] "r", args.amount: must not be empty'],
  [
    rule({ args: { amount: { maximum: 5 } } }),
    'rules[0] "r", args.amount: has an unknown field "maximum". Known fields: max, min, one_of, not_one_of, prefix, under, host_in, domain_in, read_only_sql, max_length, absent, present',
  ],
  [rule({ args: { amount: { max: '5' } } }), 'rules[0] "r", args.amount.max: must be a number'],
  [
    rule({ args: { amount: { max: 2 ** 53 } } }),
    'rules[0] "r", args.amount.max: is beyond 2^53, where numbers are not exact',
  ],
  [rule({ args: { amount: { min: 5, max: 4 } } }), 'rules[0] "r", args.amount: has a min above its max'],
  [rule({ args: { 'a..b': { max: 4 } } }), 'rules[0] "r", args.a..b: is not a path: write amount, or customer.tier'],
  [
    rule({ args: { a: { absent: true, max: 4 } } }),
    'rules[0] "r", args.a: demands that the member is absent, and something of its value',
  ],
  [
    rule({ args: { a: { absent: 'allow' } } }),
    'rules[0] "r", args.a: allows that the member is absent, and demands nothing else',
  ],
  [
    rule({ args: { a: { under: ['data'] } } }),
    'rules[0] "r", args.a.under: names a folder that is not an absolute path: write /srv/data',
  ],
  [
    rule({ args: { a: { domain_in: ['@acme.com'] } } }),
    'rules[0] "r", args.a.domain_in: names a domain that is not one: write acme.com, or *.acme.com for subdomains',
  ],
  [
    rule({ args: { a: { prefix: '\ud800' } } }),
    'rules[0] "r", args.a.prefix: has half of a surrogate pair, which is no character',
  ],
  [
    rule({ when: 'args.amount > 100' }),
    'rules[0] "r", when, at 0: reads args.amount, which may be absent, without has(args.amount) before it. Write: has(args.amount) && args.amount > 100',
  ],
  [
    rule({ when: 'agnt.id == "a"' }),
    'rules[0] "r", when, at 0: reads agnt, which does not exist. Write: agent.id == "a"',
  ],
  [rule({ when: 'facts.f' }), 'rules[0] "r", when, at 0: reads facts.f, which does not exist: known are '],
  [fact({ id: 'while' }), 'facts[0] "while", id: is a reserved word of CEL'],
  [fact({ set_when: 'facts.f' }), 'facts[0] "f", set_when: reads facts, which are known only after it is evaluated'],
  [fact({ set_when: 'args.a +' }), 'facts[0] "f", set_when, at 8: is not CEL: Unexpected token: EOF'],
  [limit({}), 'limits[0] "l": needs either max_count, or sum and max_sum'],
  [limit({ max_count: 1, sum: 'args.a', max_sum: '1' }), 'limits[0] "l": needs either max_count, or sum and max_sum'],
  [limit({ sum: 'args.a' }), 'limits[0] "l", max_sum: needs both sum and max_sum'],
  [limit({ sum: 'args.a', max_sum: '1.0000000001' }), 'limits[0] "l", max_sum: must match ^\\d{1,9}(?:\\.\\d{1,9})?$'],
  [limit({ max_count: 1, reserve: true }), 'limits[0] "l", reserve: holds a sum, and the limit has none'],
  [limit({ max_count: 1, key: 'facts' }), 'limits[0] "l", key, at 0: uses facts as a whole: read one of its members'],
])('%j', (members, text) => {
  expect(problem(members)).toBe(text);
});

test.each([
  ['payload', 'args.to.name'],
  ['payload.to', 'args.to.name'],
  ['payload.to.name', 'args.to.name'],
  ['payload.to.name.last', 'args.to.name'],
  ['payload.x-y', 'args.x-y'],
  ['payload.bcc', 'args.bcc'],
  ['payload.items', 'args.items'],
  ['url', 'action.url'],
  ['tool_name', null],
  ['payload.to.names', null],
  ['payload.x', null],
])('an approval that ignores %s', (path, read) => {
  const args = { 'to.name': { present: true }, 'x-y': { present: true }, mail: { domain_in: ['acme.com'] } };
  const when = "has(action.url) && has(args.items) && args.items.all(one, one == 'a')";
  const to = path === 'payload.bcc' ? { to: { domain_in: ['acme.com'] } } : {};
  expect(problem(approve({ args: { ...args, ...to }, when, ignore: ['description', path] }))).toBe(
    read === null ? null : `rules[0] "r", ignore[1]: ignores ${read}, which the rule judges`,
  );
});

test('an approval does not ignore what says whether the rule applies', () => {
  const names = { tools: ['refund'], types: ['tool_call'] };
  for (const path of ['tool_name', 'toolName', 'type']) {
    expect(problem(approve({ ...names, ignore: [path] }))).toBe(
      `rules[0] "r", ignore[0]: ignores action.${path}, which the rule judges`,
    );
  }
  expect(problem(approve({ ...names, ignore: ['url'] }))).toBeNull();
});

test('all problems of a profile are named, not the first alone', () => {
  const result = compileRules(
    { ...rule({ when: 'args.a == 1 ||' }), ...fact({ set_when: 'x' }), ...limit({ max_count: 1, key: 'y' }) },
    PORTS,
  );
  expect('problems' in result && result.problems.map(({ list, id, member }) => [list, id, member])).toEqual([
    ['rules', 'r', 'when'],
    ['facts', 'f', 'set_when'],
    ['limits', 'l', 'key'],
  ]);
});

test('expressions that are too costly together', () => {
  const when = 'has(args.l) && args.l.all(x, x.matches("a"))';
  const rules = Array.from({ length: 20 }, (_, at) => ({ id: `r${at}`, effect: 'deny', when }));
  expect(problem({ rules })).toBe(
    'rules[15] "r15": makes all expressions of the profile together too costly: leave out loops',
  );
});

test('a rule as CEL, one condition for each matcher', () => {
  const args = { 'a.b': { max: 5, min: -0.5 }, 'x-y': { one_of: ["it's", 1, true] }, to: { domain_in: ['acme.com'] } };
  expect(ruleTexts({ id: 'r', effect: 'deny_unless', args, when: 'true' })).toEqual([
    { place: 'args.a.b.max', cel: 'has(args.a) && has(args.a.b) && args.a.b <= 5' },
    { place: 'args.a.b.min', cel: 'has(args.a) && has(args.a.b) && args.a.b >= -0.5' },
    { place: 'args.x-y.one_of', cel: "'x-y' in args && args['x-y'] in ['it\\'s', 1, true]" },
    {
      place: 'args.to.domain_in',
      cel:
        "has(args.to) && domain_in(args.to, ['acme.com']) && " +
        "(!has(args.cc) || args.cc in [null, '', []] || domain_in(args.cc, ['acme.com'])) && " +
        "(!has(args.bcc) || args.bcc in [null, '', []] || domain_in(args.bcc, ['acme.com']))",
    },
    { place: 'when', cel: 'true' },
  ]);
  const hours = { zone: 'Europe/Berlin', days: 'mon-fri', outside: '07:00-19:00' };
  expect(
    ruleTexts({ id: 'r', effect: 'deny', hours, args: { a: { not_one_of: ['x'], absent: 'allow' } } }).map(
      ({ cel }) => cel,
    ),
  ).toEqual(["has(args.a) && !(args.a in ['x'])", "!hours(request.time, 'Europe/Berlin', 'mon-fri', '07:00-19:00')"]);
});
