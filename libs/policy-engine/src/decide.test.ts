import fc from 'fast-check';
import { compileProfile } from './compile-profile.js';
import { DECIDE_CASES } from './decide.test-cases.js';
import { decide } from './decide.js';
import { emptyProfile } from './profile/profile-fields.js';
import { ReadingBudget } from './urls/path-views.js';

/** Random runs of a property: all with `COUNTERSIGN_TEST_LONG=true`, a fifth of them in every run. */
const runs = (all: number): number => (process.env['COUNTERSIGN_TEST_LONG'] === 'true' ? all : all / 5);

const agent = '018f4d5e-0000-7000-8000-000000000001';

describe.each(Object.entries(DECIDE_CASES))('%s', (_, cases) => {
  it.each(cases.map((one) => [JSON.stringify(one.given), JSON.stringify(one.when), one] as const))(
    'given %s when %s',
    (_given, _when, one) => {
      const decision = decide(compileProfile({ ...emptyProfile(agent), ...one.given }), one.when);
      expect(decision.violation?.violation_type ?? null).toBe(one.then);
      if (one.rule !== undefined) expect(decision.violation?.rule).toBe(one.rule);
      if (one.coverage !== undefined) expect(decision.coverage.length > 0 ? 'governed' : 'none').toBe(one.coverage);
      // The member that denies is among those that apply.
      const [member] = /^[a-z_]+/.exec(decision.violation?.rule ?? '') ?? [];
      if (member !== undefined) expect(decision.coverage).toContain(member);
    },
  );
});

const FULL = compileProfile({
  ...emptyProfile(agent),
  allowed_apis: ['api.example.com', '*.example.org', 'https://api.example.net/v1/', 'crm.*'],
  blocked_apis: ['evil.example', '*.evil.example', 'https://api.example.net/v1/admin'],
  off_limits_actions: ['delete_*'],
  allowed_actions: ['http_call', 'tool_use', 'crm.*'],
  allowed_data_scopes: ['orders.*'],
  blocked_data_scopes: ['orders.secret'],
  spending_limit: 10,
});

describe('decide', () => {
  it('has a decision for any JSON action', () => {
    const action = fc.record(
      {
        type: fc.oneof(fc.string(), fc.jsonValue()),
        url: fc.oneof(fc.webUrl(), fc.string(), fc.jsonValue()),
        tool_name: fc.oneof(fc.string(), fc.jsonValue()),
        toolName: fc.jsonValue(),
        dataScope: fc.jsonValue(),
        estimatedCost: fc.oneof(fc.double(), fc.jsonValue()),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.oneof(action, fc.dictionary(fc.string(), fc.jsonValue())), (given) => {
        const decision = decide(FULL, given);
        expect(Number.isSafeInteger(decision.costMicros)).toBe(true);
        expect(decision.costMicros).toBeGreaterThanOrEqual(0);
        expect(decision.coverage).toEqual([...new Set(decision.coverage)].sort());
      }),
      { numRuns: runs(2000) },
    );
  });

  it('never quotes the action', () => {
    const marker = 'q7zk3xw9';
    const actions = [
      { type: `delete_${marker}` },
      { type: marker },
      { type: 'http_call', url: `https://${marker}.evil.example/${marker}` },
      { type: 'http_call', url: `https://${marker}.test/` },
      { type: 'http_call', url: `${marker}://x` },
      { type: 'tool_use', tool_name: marker },
      { type: 'data_access', dataScope: marker },
    ];
    for (const action of actions) {
      const { violation } = decide(FULL, action);
      expect(violation).not.toBeNull();
      expect(JSON.stringify(violation)).not.toContain(marker);
    }
  });

  it('names both members that disagree, and the intended one, with its format', () => {
    const reason = (rules: object, action: object): string | undefined =>
      decide(compileProfile({ ...emptyProfile(agent), ...rules }), { type: 'x', ...action }).violation?.reason;
    const limit = { spending_limit: 1 };
    expect(reason(limit, { estimatedCost: 0, 'estimated-cost': 5 })).toContain('"estimatedCost" and "estimated-cost"');
    expect(reason(limit, { payload: { cost_usd: 5 } })).toMatch(/"payload\.cost_usd".*"estimatedCost".*US dollars/u);
    expect(reason({ allowed_apis: ['a'] }, { type: 'fetch', host: 'b' })).toMatch(/"host".*"url".*full http/u);
  });

  it('compares twins at any depth', () => {
    const deep = (leaf: unknown): unknown => {
      let value = leaf;
      for (let i = 0; i < 100_000; i += 1) value = [value];
      return value;
    };
    const output = { blocked_pii: [], block_secrets: true, blocked_topics: [], max_length: null };
    const profile = compileProfile({ ...emptyProfile(agent), output_rules: output });
    const twins = (one: unknown, two: unknown) => decide(profile, { type: 'x', payload: one, PAYLOAD: two }).violation;
    expect(twins(deep(1), deep(1))).toBeNull();
    expect(twins(deep(1), deep(2))).not.toBeNull();
    expect(twins({ a: 1 }, { b: 1 })).not.toBeNull();
    expect(twins([], {})).not.toBeNull();
  });

  it('names the rule and the size of the list in each denial of an API', () => {
    const blocked = compileProfile({ ...emptyProfile(agent), blocked_apis: ['evil.example', 'b'] });
    const allowed = compileProfile({ ...emptyProfile(agent), allowed_apis: ['api.example.com'] });
    const call = (url: string) => ({ type: 'http_call', url });
    expect(decide(blocked, call('https://evil.example/')).violation).toMatchObject({
      rule: 'blocked_apis:evil.example',
      detail: 'blocked_apis has 2 entries',
    });
    expect(decide(blocked, call('x')).violation).toMatchObject({ detail: 'blocked_apis has 2 entries' });
    for (const url of ['x', 'https://other.example/']) {
      expect(decide(allowed, call(url)).violation).toMatchObject({ detail: 'allowed_apis has 1 entry' });
    }
  });

  it('never lets a blocked host through, however it is written', () => {
    const profile = compileProfile({ ...emptyProfile(agent), blocked_apis: ['evil.example'] });
    const letter = (index: number): fc.Arbitrary<string> => {
      const plain = 'evil.example'[index]!;
      const wide = plain === '.' ? '。' : String.fromCodePoint(plain.charCodeAt(0) + 0xfee0);
      const encoded = `%${plain.charCodeAt(0).toString(16)}`;
      return fc.constantFrom(plain, plain.toUpperCase(), wide, encoded, `${plain}\t`, `\n${plain}`);
    };
    const asArguments = (payload: object) => ({ type: 'tool_use', tool_name: 'fetch', payload });
    const host = fc.tuple(...Array.from('evil.example', (_, i) => letter(i))).map((letters) => letters.join(''));
    fc.assert(
      fc.property(
        fc.constantFrom('http://', 'https://', 'HTTPS:\\\\', 'http:/', ' https:///'),
        fc.constantFrom('', 'user@', 'good.example:80@', 'a:b@'),
        host,
        fc.constantFrom('', '.', ':8080', '.:443'),
        fc.constantFrom('', '/', '/x/../y', '?q=https://good.example', '#@good.example', '\\@good.example'),
        (scheme, user, name, tail, rest) => {
          const url = scheme + user + name + tail + rest;
          const link = url.replace(/^ ?https:/i, 'gopher:');
          for (const call of [
            { type: 'http_call', url },
            ...[{ url }, { link }, { text: url }, { link: user + name }].map(asArguments),
          ]) {
            expect([call, decide(profile, call).violation?.violation_type]).toEqual([call, 'api_not_allowed']);
          }
        },
      ),
      { numRuns: runs(3000) },
    );
  });

  it('never lets an encoded path leave its allowed prefix', () => {
    const profile = compileProfile({ ...emptyProfile(agent), allowed_apis: ['https://a.example/v1/'] });
    const up = fc.constantFrom('..', '%2e%2e', '.%2E', '..;x', '%252e%252e', '..%3b');
    const slash = fc.constantFrom('/', '\\', '%2f', '%5C', '%252F', '//', '/\t', '\n/');
    fc.assert(
      fc.property(slash, up, slash, fc.constantFrom('admin', 'v10', '%61dmin'), (first, dots, second, target) => {
        const url = `https://a.example/v1${first}${dots}${second}${target}`;
        expect(decide(profile, { type: 'http_call', url }).violation).not.toBeNull();
      }),
    );
  });

  it.each(['https://a.example/b://../admin%5c/../'])('finds the blocked path in %s', (url) => {
    // Merged, decoded, resolved with empty segments: found by the property below.
    const profile = compileProfile({ ...emptyProfile(agent), blocked_apis: ['https://a.example/admin'] });
    expect(decide(profile, { type: 'http_call', url }).violation).not.toBeNull();
  });

  it('finds a blocked path that a server arrives at, in any order of decoding, merging, cutting and resolving', () => {
    const profile = compileProfile({ ...emptyProfile(agent), blocked_apis: ['https://a.example/admin'] });
    const decode = (path: string): string =>
      path
        .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
        .replaceAll('\\', '/');
    const merge = (path: string): string => path.replace(/\/+/g, '/');
    const cut = (path: string): string => path.replace(/;[^/]*/g, '');
    const goBack = (path: string): string => {
      const kept: string[] = [];
      for (const segment of path.split('/').slice(1)) {
        if (segment === '..') kept.pop();
        else if (segment !== '.') kept.push(segment);
      }
      return `/${kept.join('/')}`;
    };
    const piece = fc.constantFrom(
      ...[
        '/',
        '/',
        '//',
        '/../',
        '/..',
        '/./',
        '%2f',
        '%252f',
        '%5c',
        '%2e%2e',
        '%252e',
        ';',
        '..;',
        'a',
        'b:',
        'admin',
      ],
    );
    const steps = fc.array(fc.constantFrom(decode, merge, cut, goBack), { maxLength: 8 });
    let reached = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), steps, (pieces, order) => {
        const path = `/${pieces.join('')}`;
        const served = merge(goBack(order.reduce((text, step) => step(text), path)));
        if (!/^\/admin(?:\/|$)/.test(served)) return;
        reached += 1;
        expect(decide(profile, { type: 'http_call', url: `https://a.example${path}` }).violation).not.toBeNull();
      }),
      { numRuns: runs(20_000) },
    );
    expect(reached).toBeGreaterThan(runs(300));
  });

  it('judges many short paths of one call in bounded time, and reports what it does not judge', () => {
    const hostile = (n: number): string =>
      `https://a.example/a/..;/%253ba%3b%252f///;//%2f%25%2f/a;b/../%2f%252e%252e//;//../%25252f%252e%252e%2525252f${n}`;
    const usual = (n: number): string => `https://a.example/v4/projects/group%2Fproject/files/src%2Fmain%20${n}.ts`;
    const call = (urls: readonly string[]) => ({ type: 'tool_use', tool_name: 'fetch', payload: { urls } });
    const many = (url: (n: number) => string, count: number) => call(Array.from({ length: count }, (_, n) => url(n)));
    for (const rules of [
      { allowed_apis: ['https://a.example/', 'fetch'] },
      { blocked_apis: ['https://a.example/zz'] },
      { allowed_apis: ['https://a.example/', 'fetch'], blocked_apis: ['https://a.example/zz'] },
    ]) {
      const profile = compileProfile({ ...emptyProfile(agent), ...rules });
      const before = process.cpuUsage();
      const { violation } = decide(profile, many(hostile, 550));
      // Without a bound it is 500 to 1,000.
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(400);
      expect(violation?.rule).toMatch(/:unreadable URL$/u);
      expect(violation?.reason).toContain('send fewer addresses in one call');
      for (const taken of [many(hostile, 5), many(usual, 500), many(() => hostile(1), 550)]) {
        expect(decide(profile, taken).violation).toBeNull();
      }
      // Several actions with one budget count as one call.
      const budget = new ReadingBudget();
      const all = Array.from({ length: 50 }, () => decide(profile, many(hostile, 5), undefined, budget).violation);
      expect(all[0]).toBeNull();
      expect(all[49]?.rule).toMatch(/:unreadable URL$/u);
      expect(decide(profile, call(['https://a.example/plain']), undefined, budget).violation).toBeNull();
    }
  });

  it.each<[string, unknown]>([
    ['the same address', Array.from({ length: 60_000 }, () => 'https://good.example')],
    ['URLs', Array.from({ length: 12_000 }, (_, n) => `https://${n}.good.example/page`)],
    [
      'long URLs',
      Array.from({ length: 2_000 }, (_, n) => `https://good.example:443/A%20page/${n}?${'q'.repeat(60)}#x`),
    ],
    ['hosts', Array.from({ length: 2_000 }, (_, n) => ({ website_url: `www.acme-${n}.example` }))],
    ['mail', Array.from({ length: 2_000 }, (_, n) => ({ contact_url: `mailto:ann-${n}@good.example` }))],
    ['names of files', Array.from({ length: 1_000 }, (_, n) => ({ image_url: `images/p_${n}.jpg` }))],
    ['files', Array.from({ length: 1_000 }, (_, n) => ({ image_url: `p_${n}.jpg` }))],
    ['hosts in capitals', Array.from({ length: 1_000 }, (_, n) => ({ website_url: `www.Acme-${n}.com` }))],
    ['buckets', Array.from({ length: 800 }, (_, n) => ({ source_uri: `s3://bucket/key-${n}` }))],
    ['words', Array.from({ length: 1_000 }, (_, n) => ({ link: `SKU-${n}` }))],
    ['an image', { image_url: `data:image/png;base64,${'Ab3/d+'.repeat(100_000)}` }],
    ['a drawing', { image_url: `data:image/svg+xml,${'<svg xmlns="http://www.w3.example/svg">'.repeat(5_000)}` }],
  ])('lets %s pass under lists that do not block them', (_name, payload) => {
    for (const blocked of [['delete_user'], ['evil.example'], ['*.evil.example', 'https://evil.example/x']]) {
      const profile = compileProfile({ ...emptyProfile(agent), blocked_apis: blocked });
      expect(decide(profile, { type: 'tool_use', payload }).violation).toBeNull();
    }
  });

  it('judges a limited number of addresses of one call', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => `https://${n}.example`);
    const judged = (blocked_apis: string[], payload: unknown, more: object = {}) =>
      decide(compileProfile({ ...emptyProfile(agent), blocked_apis }), { type: 'tool_use', payload, ...more })
        .violation;
    expect(judged(['evil.example'], many(12_000))).toBeNull();
    for (const more of [{}, { url: 'https://good.example/' }]) {
      const violation = judged(['evil.example'], many(30_000), more);
      expect(violation?.rule).toBe('blocked_apis:unreadable URL');
      expect(violation?.reason).toContain('send fewer addresses in one call');
    }
    // A list of names only does not limit what is not judged.
    expect(judged(['delete_user'], many(30_000))).toBeNull();
    const unreadable = { urls: Array.from({ length: 20_000 }, (_, n) => `http:${n} .x`) };
    expect(judged(['delete_user'], unreadable)).toBeNull();
    expect(judged(['evil.example'], unreadable)).not.toBeNull();
  });

  it.each([
    ['brackets that open no JSON', { args: Array(250_000).fill('[') }],
    ['braces that open none', Array(250_000).fill('{')],
    ['tasks with a box before them', { input: Array.from({ length: 60_000 }, (_, n) => `[x] task ${n}`) }],
    ['numbers in brackets', Array(150_000).fill('[1x]')],
    ['text that fails behind its text', Array(120_000).fill('[""1]')],
    ['hosts of many labels', { link: `\t${`${'a.'.repeat(511)}aa `.repeat(127)}` }],
    ['hosts of as many labels as can be', { link: `\t${`${'a.'.repeat(125)}aa `.repeat(1_600)}` }],
    [
      'hosts of combining marks',
      { urls: Array.from({ length: 127 }, (_, n) => `${n}ß${'\u0316\u0301'.repeat(500)}.b`) },
    ],
    ['nests of JSON text', `${'['.repeat(500_000)}""${']'.repeat(500_000)}`],
  ])('reads a call of %s in bounded time', (_name, payload) => {
    const blocked = ['shell.*', '*.evil.example', '*.x.example:99'];
    const profile = compileProfile({ ...emptyProfile(agent), blocked_apis: blocked });
    for (const action of [
      { type: 'tool_use', tool_name: 't', payload },
      { type: 'tool_use', tool_name: 't', other: payload },
    ]) {
      const before = process.cpuUsage();
      expect(decide(profile, action).violation?.rule ?? 'blocked_apis:unreadable URL').toBe(
        'blocked_apis:unreadable URL',
      );
      // 20 to 60; without a bound 200 to 2,500.
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(200);
    }
  });

  it('finds a blocked path after slashes that are merged, with or without white space between them', () => {
    const profile = compileProfile({ ...emptyProfile(agent), blocked_apis: ['https://a.example/admin'] });
    for (const slashes of ['//', '/\t/', '\\\n/', '/\r\t//']) {
      const url = `https://a.example/v1${slashes}../admin`;
      expect(decide(profile, { type: 'http_call', url }).violation).not.toBeNull();
    }
  });

  it('finds it in a URL with letters beyond ASCII too, however often it was judged before', () => {
    const profile = compileProfile({ ...emptyProfile(agent), blocked_apis: ['https://a.example/admin'] });
    for (let i = 0; i < 5_000; i += 1) {
      const { violation } = decide(profile, { type: 'http_call', url: 'https://a.example/é//../admin' });
      if (violation === null) throw new Error(`let through after ${i} decisions`);
    }
  });

  it('costs little: 10 entries, and 1,000', () => {
    const wide = (count: number): readonly string[] =>
      Array.from({ length: count }, (_, i) => (i % 2 === 0 ? `h${i}.example.com` : `tool${i}.*`));
    const measure = (count: number): number => {
      const profile = compileProfile({
        ...emptyProfile(agent),
        allowed_apis: wide(count),
        blocked_apis: wide(count).map((e) => `x${e}`),
      });
      const action = { type: 'http_call', url: 'https://h0.example.com/v1/users/42?expand=orders' };
      const rounds = 20_000;
      let best = Infinity;
      for (let run = 0; run < 5; run += 1) {
        const begin = process.hrtime.bigint();
        for (let i = 0; i < rounds; i += 1) if (decide(profile, action).violation !== null) throw new Error('denied');
        best = Math.min(best, Number(process.hrtime.bigint() - begin) / rounds);
      }
      return best;
    };
    const ten = measure(10);
    const thousand = measure(1000);
    // Loose, for loaded machines: a linear scan of 1,000 entries would take 50 times as long.
    expect(thousand).toBeLessThan(10 * ten);
  });
});
