import type { BehaviorProfile, ViolationType } from '@countersign/contracts';

/** Given rules, when an action, then the verdict: `null` is no violation. */
export interface DecideCase {
  readonly given: Partial<BehaviorProfile>;
  readonly when: Readonly<Record<string, unknown>>;
  readonly then: ViolationType | null;
  readonly rule?: string;
  readonly coverage?: 'governed' | 'none';
}

const call = (url: string): Readonly<Record<string, unknown>> => ({ type: 'http_call', url });
const tool = (name: string): Readonly<Record<string, unknown>> => ({ type: 'tool_use', tool_name: name });
const scope = (dataScope: string): Readonly<Record<string, unknown>> => ({ type: 'data_access', dataScope });

const urls = (
  given: Partial<BehaviorProfile>,
  allowed: readonly string[],
  denied: readonly string[],
  rule?: string,
): readonly DecideCase[] => [
  ...allowed.map((url): DecideCase => ({ given, when: call(url), then: null })),
  ...denied.map((url): DecideCase => ({
    given,
    when: call(url),
    then: 'api_not_allowed',
    ...(rule === undefined ? {} : { rule }),
  })),
];

const tools = (
  given: Partial<BehaviorProfile>,
  allowed: readonly string[],
  denied: readonly string[],
  then: ViolationType = 'api_not_allowed',
): readonly DecideCase[] => [
  ...allowed.map((name): DecideCase => ({ given, when: tool(name), then: null })),
  ...denied.map((name): DecideCase => ({ given, when: tool(name), then })),
];

const scopes = (
  given: Partial<BehaviorProfile>,
  allowed: readonly string[],
  refused: readonly string[],
): readonly DecideCase[] => [
  ...allowed.map((name): DecideCase => ({ given, when: scope(name), then: null })),
  ...refused.map((name): DecideCase => ({ given, when: scope(name), then: 'data_scope_denied' })),
];

const denied = (
  given: Partial<BehaviorProfile>,
  when: Readonly<Record<string, unknown>>,
  then: ViolationType,
  rule: string,
): DecideCase => ({ given, when, then, rule, coverage: 'governed' });

/** By a list with this entry only. */
const blockedBy = (entry: string, when: Readonly<Record<string, unknown>>): DecideCase =>
  denied({ blocked_apis: [entry] }, when, 'api_not_allowed', `blocked_apis:${entry}`);

const EVIL = 'https://evil.example/x';

const OUTPUT = { blocked_pii: ['email'], block_secrets: false, blocked_topics: [], max_length: null };

export const DECIDE_CASES: Readonly<Record<string, readonly DecideCase[]>> = {
  'an empty profile denies nothing and governs nothing': [
    { given: {}, when: call('https://anything.example/'), then: null, coverage: 'none' },
    { given: {}, when: call('not a url'), then: null, coverage: 'none' },
  ],
  'a blocked host is denied in every disguise': urls(
    { blocked_apis: ['api.example.com'] },
    ['https://example.com/', 'https://www.api.example.com/', 'https://api.example.com.evil.example/'],
    [
      'https://api.example.com/',
      'http://API.Example.COM:8443/x',
      'https://api.example.com./',
      'https://user:pass@api.example.com/',
      ' https://api.example.com/\n',
    ],
    'blocked_apis:api.example.com',
  ),
  'a URL that clients read differently is denied wherever an API rule exists': [
    ...urls(
      { blocked_apis: ['api.example.com'] },
      ['https://good.example/?q=\\@api.example.com'],
      [
        'https://api.example.com\\@other.example/',
        'https://other.example\\@api.example.com/',
        'https://other.example/\\x',
        'https://api%2eexample.com/',
        'https://ａｐｉ.example.com/',
        'https://api。example.com/',
        'https://api.exa\tmple.com/',
        'https:api.example.com',
        'https:///api.example.com',
        'https://a@other.example@api.example.com/',
        'http://010.0.0.1/',
      ],
      'blocked_apis:unreadable URL',
    ),
    ...urls(
      { allowed_apis: ['api.example.com', '127.0.0.1', '8.0.0.1'] },
      ['https://api.example.com/', 'http://127.0.0.1:8080/'],
      ['https://api.example.com\\@evil.example/x', 'https://evil.example\\@api.example.com/', 'http://0177.0.0.1/'],
      'allowed_apis:unreadable URL',
    ),
  ],
  'a name that the two versions of IDNA read as two hosts needs both': [
    ...urls({ blocked_apis: ['boss.example'] }, ['https://böss.example/'], ['https://boß.example/x']),
    ...urls({ blocked_apis: ['boß.example'] }, ['https://boss.example/'], ['https://boß.example/']),
    ...urls({ allowed_apis: ['boß.example'] }, ['https://xn--bo-hia.example/'], ['https://boß.example/']),
    ...urls({ allowed_apis: ['boß.example', 'boss.example'] }, ['https://boß.example/'], ['https://βος.example/']),
  ],
  'a path that the command curl makes several of is under no allowed prefix, and under each blocked one': [
    ...urls(
      { allowed_apis: ['https://api.example.com/v1/'] },
      ['https://api.example.com/v1/x?filter[name]={a}'],
      ['https://api.example.com/v1/{x,../admin}', 'https://api.example.com/v1/[a-c]'],
    ),
    ...urls(
      { blocked_apis: ['https://api.example.com/admin'] },
      ['https://other.example/admi[n-n]'],
      ['https://api.example.com/admi[n-n]/x'],
    ),
  ],
  'a blocked address is denied in every notation': urls(
    { blocked_apis: ['169.254.169.254'] },
    ['http://169.254.169.253/', 'http://[fd00::1]/', 'http://[::1]/'],
    [
      'http://169.254.169.254/latest',
      'http://2852039166/',
      'http://0xa9fea9fe/',
      'http://0251.0376.0251.0376/',
      'http://169.254.43518/',
      'http://[::ffff:169.254.169.254]/',
      'http://[0:0:0:0:0:ffff:a9fe:a9fe]/',
      'http://[::ffff:0:169.254.169.254]/',
      'http://[::169.254.169.254]/',
      'http://[64:ff9b::169.254.169.254]/',
      'http://[64:ff9b:1::a9fe:a9fe]/',
      'http://x.example\\@169.254.169.254/latest/meta-data',
      'http://169.254.169.254\\@x.example/',
      'http://169.254.169.254./',
      'http://169.254.169.254\t/',
      'http://１６９.254.169.254/',
      'http://١٦٩.٢٥٤.١٦٩.٢٥٤/',
      'http://169%2e254.169.254/',
      'http:169.254.169.254/',
      'http:///169.254.169.254/',
      'http://a@169.254.169.254/',
      'http://a@b@169.254.169.254/',
    ],
  ),
  'user information does not make a host allowed': urls(
    { allowed_apis: ['api.example.com'] },
    ['https://api.example.com/', 'https://api.example.com:9443/'],
    ['https://api.example.com@evil.example/', 'https://api.example.com:x@evil.example/', 'https://аpi.example.com/'],
  ),
  'a wildcard host means below it, not itself': urls(
    { allowed_apis: ['*.example.com'] },
    ['https://a.example.com/', 'https://a.b.example.com/', 'https://A.EXAMPLE.COM./'],
    ['https://example.com/', 'https://aexample.com/', 'https://example.com.evil.example/'],
  ),
  'a host with a port means that port': urls(
    { allowed_apis: ['api.example.com:8443', 'tls.example.com:443', '[::1]:8080'] },
    ['https://api.example.com:8443/', 'https://tls.example.com/', 'http://[::1]:8080/'],
    ['https://api.example.com/', 'http://tls.example.com/', 'http://[::1]/'],
  ),
  'a URL prefix matches whole path segments': urls(
    { allowed_apis: ['https://api.example.com/v1/'] },
    [
      'https://api.example.com/v1',
      'https://api.example.com/v1/users?x=1#y',
      'https://api.example.com:443/v1/',
      'https://api.example.com/v2/../v1/x',
      'https://api.example.com/%76%31/x',
      'https://api.example.com//v1//x',
      'https://api.example.com/v1/a%20b',
    ],
    [
      'https://api.example.com/v10',
      'https://api.example.com/',
      'https://api.example.com/v1/../admin',
      'https://api.example.com/v1/%2e%2e/admin',
      'https://api.example.com/v1/..%2fadmin',
      'https://api.example.com/v1/..%5cadmin',
      'https://api.example.com/v1/%252e%252e%252fadmin',
      'https://api.example.com/v1/..;/admin',
      'https://api.example.com/v1/%25252525252e/x',
      'https://api.example.com/v1/%2f/../admin',
      'https://api.example.com/v1/x:///../../admin',
      'https://api.example.com/v1/..;/../admin',
      'https://api.example.com/v1/%252e%252e/../admin',
      'http://api.example.com/v1/x',
      'https://api.example.com:8443/v1/x',
    ],
  ),
  'a blocked URL prefix holds however it is written': urls(
    { blocked_apis: ['https://api.example.com/admin'] },
    ['https://api.example.com/', 'https://api.example.com/administrator', 'https://other.example/admin'],
    [
      'https://api.example.com/admin',
      'http://api.example.com/admin/x',
      'https://api.example.com:8443/admin',
      'https://api.example.com//admin/',
      'https://api.example.com/%61dmin',
      'https://api.example.com/x/..%2fadmin',
      'https://api.example.com/x/%252e%252e/admin',
      'https://api.example.com/x://../admin',
      'https://api.example.com/x/%2f/../admin',
      'https://api.example.com/x/.%2f/../admin',
      'https://api.example.com/x%2fy/../../admin',
      'https://api.example.com/admin%2fx/../',
      'https://api.example.com/admin;v=1/x',
      'https://api.example.com/%25252525252561dmin',
    ],
    'blocked_apis:https://api.example.com/admin',
  ),
  'a blocked URL prefix beyond ASCII holds however it is written': urls(
    { blocked_apis: ['https://api.example.com/é%20b'] },
    ['https://api.example.com/e%20b', 'https://api.example.com/x/%2f../éb'],
    ['https://api.example.com/é b', 'https://api.example.com/%C3%A9%20b/x', 'https://api.example.com/x/%2f/../é b'],
  ),
  'a path with encoded empty segments is judged as merged and as not': urls(
    { blocked_apis: ['https://api.example.com/v1/admin', 'https://api.example.com/root'] },
    ['https://api.example.com/v1/%2f../x', 'https://api.example.com/v1/%2fadministrator'],
    [
      'https://api.example.com/v1/%2f../admin',
      'https://api.example.com/v1/%2f%2f../../admin',
      'https://api.example.com/v1/%5c..%5cadmin',
      'https://api.example.com/v1/%2f../root',
      'https://api.example.com/v1/%2fadmin',
    ],
  ),
  'a host with a path and a last * blocks as a prefix as well as by name, and allows by name alone': [
    ...urls(
      { blocked_apis: ['evil.example/*', 'api.example.com:8443/admin/*'] },
      ['https://example/', 'https://api.example.com/admin/x', 'https://api.example.com:8443/administrator'],
      [
        'https://evil.example/',
        'http://EVIL.example./x?y',
        'https://api.example.com:8443/admin',
        'https://api.example.com:8443/x/..%2fadmin/',
      ],
    ),
    ...urls(
      { allowed_apis: ['good.example/*', 'good.example/v1/'] },
      ['https://good.example/v1/x'],
      ['https://good.example/x'],
    ),
    ...tools({ blocked_apis: ['files/*'] }, ['files', 'filesystem'], ['files/delete', 'files/']),
    ...tools({ blocked_apis: ['files/del*'] }, ['files/read'], ['files/delete']),
    ...urls({ blocked_apis: ['files/del*'] }, ['https://files/delete'], []),
  ],
  'a host with a path but without a scheme is a prefix and a tool name': [
    ...urls(
      { blocked_apis: ['api.example.com/admin'] },
      ['https://api.example.com/x'],
      ['http://api.example.com/admin/1'],
    ),
    ...tools({ blocked_apis: ['files/delete'] }, ['files/read'], ['files/delete']),
  ],
  'a URL that cannot be read is denied wherever an API rule exists': [
    ...urls(
      { blocked_apis: ['crm.delete'] },
      [],
      [
        '',
        '/relative',
        'ftp://a.example/',
        'file:///etc/passwd',
        'https://',
        'http://a..b/',
        'http://[::1',
        'https://.a/',
        `https://a.example/${'é'.repeat(65_536)}`,
      ],
      'blocked_apis:unreadable URL',
    ),
    ...urls(
      { allowed_apis: ['*'] },
      ['https://anything.example/'],
      ['javascript:alert(1)'],
      'allowed_apis:unreadable URL',
    ),
  ],
  'names are case-sensitive, a trailing * is for names alone': [
    ...tools(
      { allowed_apis: ['crm.*', 'mail.send'] },
      ['crm.lookup', 'crm.', 'mail.send'],
      ['crm', 'CRM.lookup', 'mail.sender'],
    ),
    ...urls({ allowed_apis: ['crm.*'] }, [], ['https://crm.example/']),
    ...tools({ blocked_apis: ['*'] }, [], ['x', '']),
  ],
  'a plain name is compared with host and tool alike': [
    ...tools({ blocked_apis: ['crm.lookup'] }, ['crm.other'], ['crm.lookup']),
    ...urls({ blocked_apis: ['crm.lookup'] }, ['https://x.crm.lookup/'], ['https://CRM.lookup/x']),
  ],
  'blocked wins, and every API and tool must be allowed': [
    {
      given: { allowed_apis: ['a.example', 'crm.*'], blocked_apis: ['crm.delete'] },
      when: tool('crm.delete'),
      then: 'api_not_allowed',
      rule: 'blocked_apis:crm.delete',
    },
    {
      given: { allowed_apis: ['a.example'] },
      when: { type: 'x', url: 'https://a.example/', tool_name: 'crm' },
      then: 'api_not_allowed',
    },
    {
      given: { allowed_apis: ['a.example', 'crm'] },
      when: { type: 'x', url: 'https://a.example/', tool_name: 'crm' },
      then: null,
    },
    {
      given: { allowed_apis: ['crm'] },
      when: { type: 'x', tool_name: 'crm', toolName: 'other' },
      then: 'api_not_allowed',
    },
    {
      given: { blocked_apis: ['other'] },
      when: { type: 'x', tool_name: 'crm', toolName: 'other' },
      then: 'api_not_allowed',
    },
    { given: { allowed_apis: ['crm'] }, when: { type: 'llm_response' }, then: null, coverage: 'none' },
    { given: { blocked_apis: ['crm'] }, when: { type: 'tool_use' }, then: null, coverage: 'none' },
  ],
  'off limits by type or tool, before everything else': [
    {
      given: { off_limits_actions: ['refund'], blocked_apis: ['refund'] },
      when: tool('refund'),
      then: 'off_limits_action',
      rule: 'off_limits_actions:refund',
    },
    {
      given: { off_limits_actions: ['delete_*'] },
      when: { type: 'delete_user' },
      then: 'off_limits_action',
      rule: 'off_limits_actions:delete_*',
    },
    { given: { off_limits_actions: ['refund'] }, when: { type: 'x', toolName: 'refund' }, then: 'off_limits_action' },
    { given: { off_limits_actions: ['refund'] }, when: tool('lookup'), then: null, coverage: 'governed' },
  ],
  'allowed actions by type, or by every tool that is named': [
    { given: { allowed_actions: ['http_call'] }, when: { type: 'http_call', tool_name: 'anything' }, then: null },
    { given: { allowed_actions: ['crm.*'] }, when: tool('crm.lookup'), then: null },
    {
      given: { allowed_actions: ['crm.*'] },
      when: { type: 'tool_use', tool_name: 'crm.a', toolName: 'other' },
      then: 'off_limits_action',
    },
    {
      given: { allowed_actions: ['crm.*'] },
      when: { type: 'http_call' },
      then: 'off_limits_action',
      rule: 'allowed_actions:not listed',
    },
  ],
  'data scopes': [
    {
      given: { blocked_data_scopes: ['pii.*'] },
      when: scope('pii.email'),
      then: 'data_scope_denied',
      rule: 'blocked_data_scopes:pii.*',
    },
    { given: { blocked_data_scopes: ['pii.*'] }, when: scope('orders'), then: null, coverage: 'governed' },
    { given: { allowed_data_scopes: ['orders'] }, when: scope('orders'), then: null },
    { given: { allowed_data_scopes: ['orders'] }, when: scope('Orders'), then: 'data_scope_denied' },
    { given: { allowed_data_scopes: ['orders'] }, when: { type: 'data_access' }, then: 'data_scope_denied' },
    { given: { allowed_data_scopes: ['orders'] }, when: { type: 'llm_response' }, then: null, coverage: 'none' },
    {
      given: { blocked_data_scopes: ['orders'] },
      when: { type: 'other', dataScope: 'orders' },
      then: 'data_scope_denied',
    },
  ],
  'data scopes that look like paths are compared as readers read them': [
    ...scopes(
      { allowed_data_scopes: ['/srv/data/*', 'C:\\reports\\2026'] },
      [
        '/srv/data/x',
        '/srv/data/',
        '/srv/data/.',
        '/srv//data/./x',
        '/srv/data/a%20b',
        '\\srv\\data\\x',
        'C:/reports/2026',
        'C:\\reports\\.\\2026\\',
      ],
      [
        '/srv/data/../../etc/passwd',
        '/srv/data/..',
        '/srv/data/%2e%2e/secret',
        '/srv/data/..%2fsecret',
        '/srv/data/%252e%252e%252fsecret',
        '/srv/data/..\\secret',
        '/srv/data/..;/secret',
        '/srv/data/.. /secret',
        '/srv/data/x\0.txt',
        '..',
        '/srv/data',
        '/srv/datax',
        'srv/data/x',
        '/srv/data/\uff0e\uff0e/etc/passwd',
        '/srv/data/\u2025/etc/passwd',
        '/srv/data/%EF%BC%8E%EF%BC%8E/etc/%FF',
        '/srv/data/%25EF%25BC%258E%25EF%25BC%258E/etc',
        '\uff0fsrv\uff0fdata\uff0f..\uff0fetc',
        '/srv/data/.\u200b./etc/passwd',
        '/srv/data/.%E2%80%8B./etc/passwd',
        '/srv/data/%u002e%u002e/etc',
        '/srv/data/%25u002e%25U002E/etc',
        '/srv/data/\uff05\uff12e\uff052e/etc',
      ],
    ),
    ...scopes(
      { allowed_data_scopes: ['/srv/ä/*', 'Kunden…'] },
      ['/srv/ä/a%20b', '/srv/ä/ö', 'Kunden…'],
      ['/srv/a\u0308/x', 'Kunden...\u00ad', '…'],
    ),
    ...scopes(
      { blocked_data_scopes: ['pii.*', '/srv/ä/*'] },
      ['p', '/srv/o'],
      ['p\u00adii.email', '\uff50ii.email', '/srv/%C3%A4/x', '/srv/a\u0308/x', '/srv%2F%C3%A4%2Fx'],
    ),
    ...scopes(
      { blocked_data_scopes: ['/srv/secret/*', '/etc/passwd', 's3://bucket/private/*'] },
      ['/srv/other/x', '/srv/secretive', 'orders', '100%', 's3://bucket/public/x'],
      [
        '/srv/secret/x',
        '/srv//secret/x',
        '/srv/./secret/x',
        '\\srv\\secret\\x',
        '/srv/%73ecret/x',
        '/srv%2fsecret%2fx',
        '/srv/other/../secret/x',
        '/etc/passwd/',
        '//etc//passwd',
        's3://bucket//private/x',
        '/srv/secret/',
        '/srv/secret/.',
        '/srv/secret%2f.',
        '/srv/secret/%2e',
        '/srv/secret//./',
        '/srv/secret',
        '\\srv\\secret',
        's3://bucket/private',
      ],
    ),
  ],
  'what limits and cannot be judged denies': [
    denied(
      { allowed_apis: ['api.ourco.com'] },
      { type: 'http_call', payload: { url: 'https://evil.com' } },
      'api_not_allowed',
      'allowed_apis:no url given',
    ),
    denied(
      { allowed_apis: ['api.ourco.com'] },
      { type: 'HTTP_CALL', uri: 'https://evil.com' },
      'api_not_allowed',
      'allowed_apis:no url given',
    ),
    denied({ allowed_apis: ['crm.*'] }, { type: 'http-Call' }, 'api_not_allowed', 'allowed_apis:no url given'),
    denied(
      { allowed_apis: ['crm.*'] },
      { type: 'http_call', tool_name: 'crm.a' },
      'api_not_allowed',
      'allowed_apis:no url given',
    ),
    denied({ allowed_apis: ['crm.*'] }, { type: 'tool_use' }, 'api_not_allowed', 'allowed_apis:no tool_name given'),
    denied(
      { allowed_apis: ['crm.*'] },
      { type: 'x', tool: 'shell' },
      'api_not_allowed',
      'allowed_apis:no tool_name given',
    ),
    denied({ blocked_apis: ['evil.com'] }, { type: 'http_call' }, 'api_not_allowed', 'blocked_apis:no url given'),
    denied(
      { blocked_apis: ['evil.com'] },
      { type: 'x', URL: 'https://evil.com' },
      'api_not_allowed',
      'blocked_apis:no url given',
    ),
    denied(
      { blocked_apis: ['shell'] },
      { type: 'tool_use', toolname: 'shell' },
      'api_not_allowed',
      'blocked_apis:no tool_name given',
    ),
    { given: { blocked_apis: ['crm.*'] }, when: { type: 'http_call' }, then: null },
    { given: { blocked_apis: ['*.evil.com'] }, when: { type: 'x', tool: 'shell' }, then: null },
    denied(
      { off_limits_actions: ['shell'] },
      { type: 'tool_use', tool: 'shell' },
      'off_limits_action',
      'off_limits_actions:no tool_name given',
    ),
    denied(
      { allowed_actions: ['crm.*'] },
      { type: 'x', 'Tool-Name': 'crm.a' },
      'off_limits_action',
      'allowed_actions:no tool_name given',
    ),
    { given: { allowed_actions: ['x'] }, when: { type: 'x', tool: 'crm.a' }, then: null },
    denied(
      { blocked_data_scopes: ['pii'] },
      { type: 'data_access', data_scope: 'pii' },
      'data_scope_denied',
      'blocked_data_scopes:no dataScope given',
    ),
    denied(
      { allowed_data_scopes: ['pii'] },
      { type: 'DATA_ACCESS' },
      'data_scope_denied',
      'allowed_data_scopes:no scope given',
    ),
    denied(
      { output_rules: OUTPUT },
      { type: 'llm_response', Payload: 'a@b.example' },
      'unsafe_output',
      'output_rules:no payload given',
    ),
    ...['estimated_cost', 'estimatedcost', 'EstimatedCost', 'cost', 'COST', 'amount_usd', 'amountUsd', 'price'].map(
      (name) =>
        denied(
          { spending_limit: 100 },
          { type: 'tool_use', tool_name: 'refund', [name]: 5000 },
          'spending_limit_exceeded',
          'spending_limit:no estimatedCost given',
        ),
    ),
    {
      given: { rate_limit: { max: 1, per_seconds: 1 } },
      when: { type: 'x', cost: 5000, uri: 'x', tool: 'y', scope: 'z' },
      then: null,
    },
    { given: {}, when: { type: 'http_call', cost: 5000, uri: 'x' }, then: null, coverage: 'none' },
  ],
  'a member that is blank is as if it were missing': [
    ...['', ' ', '\u200b'].flatMap((tool_name) => [
      denied(
        { off_limits_actions: ['delete_user'] },
        { type: 'tool_use', tool_name, tool: 'delete_user' },
        'off_limits_action',
        'off_limits_actions:no tool_name given',
      ),
      denied(
        { blocked_apis: ['delete_user'] },
        { type: 'tool_use', toolName: tool_name, function: 'delete_user' },
        'api_not_allowed',
        'blocked_apis:no tool_name given',
      ),
      denied(
        { blocked_apis: ['evil.example'] },
        { type: 'http_request', tool_name },
        'api_not_allowed',
        'blocked_apis:no url given',
      ),
    ]),
    denied(
      { blocked_data_scopes: ['pii.*'] },
      { type: 'x', dataScope: ' ', scope: 'pii.email' },
      'data_scope_denied',
      'blocked_data_scopes:no dataScope given',
    ),
    ...[null, '', ' \n', {}, []].map((payload) =>
      denied(
        { output_rules: OUTPUT },
        { type: 'llm_response', payload, output: 'a@b.example' },
        'unsafe_output',
        'output_rules:no payload given',
      ),
    ),
    denied(
      { spending_limit: 100 },
      { type: 'x', estimatedCost: null, cost: 5000 },
      'spending_limit_exceeded',
      'spending_limit:no estimatedCost given',
    ),
    ...[
      { payload: null, output: '' },
      { payload: '', content: null },
      { payload: {}, output: [] },
    ].map((when): DecideCase => ({ given: { output_rules: OUTPUT }, when: { type: 'x', ...when }, then: null })),
    {
      given: { off_limits_actions: ['shell'], spending_limit: 1 },
      when: { type: 'tool_use', tool_name: '', tool: null, cost: null },
      then: null,
    },
    { given: { output_rules: OUTPUT }, when: { type: 'x', payload: 0, output: 'a@b.example' }, then: null },
  ],
  'members that can mean nothing else must agree with the one that rules read': [
    denied(
      { allowed_apis: ['ok.example'] },
      { type: 'http_call', url: 'https://ok.example', uri: 'https://evil.example' },
      'api_not_allowed',
      'allowed_apis:url contradicted',
    ),
    ...['URL', 'Url', 'uri', 'URI', 'href', 'H-ref'].map((name) =>
      denied(
        { blocked_apis: ['evil.example'] },
        { type: 'x', url: 'https://ok.example', [name]: 'https://evil.example' },
        'api_not_allowed',
        'blocked_apis:url contradicted',
      ),
    ),
    denied(
      { blocked_apis: ['evil.example'] },
      { type: 'x', url: 'https://ok.example/', uri: ['https://evil.example/'] },
      'api_not_allowed',
      'blocked_apis:url contradicted',
    ),
    ...['https://ok.example', 'https://ok.example/', null].map((uri): DecideCase => ({
      given: { allowed_apis: ['ok.example'] },
      when: { type: 'http_call', url: 'https://ok.example', uri },
      then: null,
    })),
    { given: { blocked_apis: ['crm.*'] }, when: { type: 'x', url: 'https://a.example', uri: 'b' }, then: null },
    {
      given: { allowed_apis: ['ok.example'] },
      when: { type: 'http_call', url: 'https://ok.example', link: 'https://docs.example', endpoint: 'orders' },
      then: null,
    },
    ...[
      ...['estimated_cost', 'estimated-cost', 'EstimatedCost', 'ESTIMATED_COST', 'estimated_cost_usd'],
      ...['cost', 'cost_usd', 'costUsd', 'Cost', 'total_cost', 'totalCost'],
    ].map((name) =>
      denied(
        { spending_limit: 100 },
        { type: 'x', estimatedCost: 0, [name]: 5000 },
        'spending_limit_exceeded',
        'spending_limit:estimatedCost contradicted',
      ),
    ),
    { given: { spending_limit: 100 }, when: { type: 'x', estimatedCost: 5, cost: 5, total_cost: '5.0' }, then: null },
    { given: { rate_limit: { max: 1, per_seconds: 1 } }, when: { type: 'x', estimatedCost: 0, cost: 5 }, then: null },
    ...[12.5, '12.50', null].map((twin): DecideCase => ({
      given: { spending_limit: 100 },
      when: { type: 'x', estimatedCost: 12.5, estimated_cost: twin },
      then: null,
    })),
    {
      given: { spending_limit: 100 },
      when: { type: 'x', estimatedCost: 12.5, amount: 11, currency: 'EUR', total: 3, payload: { cost: 9 } },
      then: null,
    },
    { given: {}, when: { type: 'x', estimatedCost: 0, estimated_cost: 5000 }, then: null, coverage: 'none' },
    {
      given: { rate_limit: { max: 1, per_seconds: 1 } },
      when: { type: 'x', url: 'https://a.example', uri: 'https://b.example', estimatedCost: 0, estimated_cost: 1 },
      then: null,
    },
    denied(
      { off_limits_actions: ['shell'] },
      { type: 'x', tool_name: 'ls', 'tool-name': 'shell' },
      'off_limits_action',
      'off_limits_actions:tool_name contradicted',
    ),
    denied(
      { allowed_actions: ['ls'] },
      { type: 'x', toolName: 'ls', ToolName: 'shell' },
      'off_limits_action',
      'allowed_actions:toolName contradicted',
    ),
    denied(
      { allowed_apis: ['ls'] },
      { type: 'x', toolName: 'ls', ToolName: 'shell' },
      'api_not_allowed',
      'allowed_apis:toolName contradicted',
    ),
    {
      given: { off_limits_actions: ['shell'] },
      when: { type: 'x', tool_name: 'a', toolName: 'b', ToolName: 'b', tool: { name: 'shell' } },
      then: null,
    },
    denied(
      { blocked_data_scopes: ['pii'] },
      { type: 'data_access', dataScope: 'orders', data_scope: 'pii' },
      'data_scope_denied',
      'blocked_data_scopes:dataScope contradicted',
    ),
    denied(
      { allowed_data_scopes: ['orders'] },
      { type: 'data_access', dataScope: 'orders', DataScope: 'pii' },
      'data_scope_denied',
      'allowed_data_scopes:dataScope contradicted',
    ),
    {
      given: { allowed_data_scopes: ['orders'] },
      when: { type: 'data_access', dataScope: 'orders', data_scope: 'orders', scope: 'all', scopes: ['x'] },
      then: null,
    },
    denied(
      { output_rules: OUTPUT },
      { type: 'x', payload: { a: [1, { b: 2 }] }, Payload: { a: [1, { b: 3 }] } },
      'unsafe_output',
      'output_rules:payload contradicted',
    ),
    {
      given: { output_rules: OUTPUT },
      when: { type: 'x', payload: { a: [1, { b: 2, c: 3 }] }, Payload: { a: [1, { c: 3, b: 2 }] }, content: 'a@b.co' },
      then: null,
    },
    denied(
      { require: ['cost'] },
      { type: 'x', estimatedCost: 0, estimated_cost: 1 },
      'spending_limit_exceeded',
      'require:estimatedCost contradicted',
    ),
  ],
  'a cost by any word for it is no way round a spending limit': [
    ...[
      ...['total', 'fee', 'price', 'amount', 'cost_cents', 'cost_usd', 'costInUsd', 'priceEur', 'grand_total'],
      ...['order_total', 'total_price', 'payment-amount', 'Transfer Amount', 'estimatedcosts', 'cost_estimate', 'usd'],
      ...[
        'estimated_cost_usd',
        'estimated_price',
        'estimated_amount',
        'total_cost',
        'price_usd',
        'fees',
        'expected cost',
      ],
    ].map((name) =>
      denied(
        { spending_limit: 100 },
        { type: 'tool_use', tool_name: 'refund', [name]: 5000 },
        'spending_limit_exceeded',
        'spending_limit:no estimatedCost given',
      ),
    ),
    ...[
      'total_count',
      'amountOfRows',
      'price_list',
      'feedback',
      'totals_by_day',
      'costume',
      'percent',
      'order',
      'accent',
    ].map((name): DecideCase => ({ given: { spending_limit: 100 }, when: { type: 'x', [name]: 5000 }, then: null })),
    ...[
      { payload: { usd: 5000 } },
      { payload: { to: 'x', total_cost: 5000 } },
      { metadata: { estimatedCost: 5000 } },
      { payload: { amount: 5000, currency: 'EUR' } },
    ].map((members) =>
      denied(
        { spending_limit: 100 },
        { type: 'tool_use', tool_name: 'pay', ...members },
        'spending_limit_exceeded',
        'spending_limit:no estimatedCost given',
      ),
    ),
    ...[
      { payload: { amount: 3, unit: 'spoons' } },
      { payload: { total: 7, price: 9 } },
      { payload: { cost: null } },
      { payload: { order: { cost: 5 } } },
      { payload: [{ cost: 5 }] },
      { payload: 'cost' },
      { payload: { cost: 5 }, estimatedCost: 5 },
      { type: 'llm_response', payload: { amount: 3, currency: 'EUR', cost: 9 } },
    ].map((members): DecideCase => ({
      given: { spending_limit: 100 },
      when: { type: 'tool_use', tool_name: 'pay', ...members },
      then: null,
    })),
    { given: {}, when: { type: 'x', total: 5000, payload: { cost: 5000 } }, then: null, coverage: 'none' },
  ],
  'a call of an address is known by other types and members too': [
    ...[
      { type: 'http_request', target: 'https://evil.com' },
      { type: 'api_call', address: 'evil.com' },
      { type: 'fetch', host: 'evil.com' },
      { type: 'Fetch', urls: ['https://evil.com'] },
      { type: 'http_call', endpoint: '/pay' },
      { type: 'HTTP-GET', base_url: 'https://evil.com' },
      { type: 'webhook', destination: 'https://evil.com' },
      { type: 'x', request_url: 'https://evil.com' },
      { type: 'http_request', payload: { url: 'https://evil.com' } },
    ].flatMap((when) => [
      denied({ allowed_apis: ['ok.example'] }, when, 'api_not_allowed', 'allowed_apis:no url given'),
      denied({ blocked_apis: ['evil.com'] }, when, 'api_not_allowed', 'blocked_apis:no url given'),
    ]),
    ...[
      { type: 'x', target: 'shelf 7', host: 'Ms Doe', address: 'Main Street 1', urls: ['https://a.example'] },
      { type: 'api_call', tool_name: 'crm.a' },
      { type: 'http_request', tool_name: 'crm.a' },
      { type: 'fetch', dataScope: 'orders' },
      { type: 'call', target: 'x' },
    ].map((when): DecideCase => ({ given: { allowed_apis: ['crm.*'] }, when, then: null })),
  ],
  'the arguments of a tool call are searched for addresses': [
    ...[
      { type: 'tool_use', action: 'http_request', payload: { url: EVIL } },
      { type: 'TOOL-use', tool_name: 'fetch', payload: { url: EVIL } },
      { type: 'tool_use', tool_name: 'fetch', url: 'https://api.example.com/', payload: { url: EVIL } },
      { type: 'x', toolName: 'fetch', payload: { url: EVIL } },
      { type: 'x', function: 'fetch', payload: JSON.stringify({ url: EVIL }) },
      { type: 'web_fetch', payload: { url: EVIL } },
      { type: 'tool_call', payload: { url: EVIL } },
      { type: 'Function-Call', name: 'fetch', payload: { url: EVIL } },
      { type: 'call_tool', payload: { url: EVIL } },
    ].map((when) => denied({ blocked_apis: ['evil.example'] }, when, 'api_not_allowed', 'blocked_apis:evil.example')),
    ...[
      { type: 'tool_use', action: 'http_request', payload: { url: EVIL } },
      { type: 'x', tool_name: 'fetch', payload: { url: EVIL } },
      { type: 'tool_use', tool_name: 'fetch', url: EVIL, payload: { url: EVIL } },
    ].map((when) =>
      denied({ allowed_apis: ['api.example.com', 'fetch'] }, when, 'api_not_allowed', 'allowed_apis:not listed'),
    ),
    // Callers send arguments under other names than payload.
    ...['arguments', 'Args', 'tool_input', 'params', 'Payload'].map((name) =>
      blockedBy('evil.example', { type: 'tool_use', tool_name: 'fetch', [name]: JSON.stringify({ url: EVIL }) }),
    ),
    // Content that is said or sent is not an address that is called, and a different url is the caller's claim.
    ...[
      { type: 'llm_response', payload: { url: EVIL } },
      { type: 'http_call', url: 'https://api.example.com/', tool_name: 'fetch', payload: { url: EVIL } },
      { type: 'tool_use', tool_name: 'fetch', url: 'https://api.example.com/', payload: { url: EVIL } },
      { type: 'tool_use', url: 'https://api.example.com/', payload: { url: 'https://api.example.com/' } },
      { type: 'tool_use', payload: { url: 'https://api.example.com/' } },
    ].map((when): DecideCase => ({ given: { allowed_apis: ['api.example.com', 'fetch'] }, when, then: null })),
    // Lists of tools do not limit addresses.
    ...[['crm.*'], ['mail_send', 'crm.*'], ['crm.*', 'api.example.com/*']].map((allowed): DecideCase => ({
      given: { allowed_apis: [...allowed, 'fetch*'] },
      when: { type: 'tool_use', tool_name: 'fetch', url: EVIL, payload: { url: EVIL } },
      then: null,
    })),
    denied(
      { allowed_apis: ['crm.*'] },
      { type: 'tool_use', url: EVIL, payload: { url: EVIL } },
      'api_not_allowed',
      'allowed_apis:no tool_name given',
    ),
    ...['intranet:80', '*.example.com', '10.0.0.1', '[::1]', 'localhost', 'http://intranet/', 'api.example.com'].map(
      (entry) =>
        denied(
          { allowed_apis: ['fetch', entry] },
          { type: 'tool_use', tool_name: 'fetch', payload: { target: EVIL } },
          'api_not_allowed',
          'allowed_apis:not listed',
        ),
    ),
    {
      given: { allowed_apis: ['*', 'api.example.com'] },
      when: { type: 'tool_use', tool_name: 'fetch', payload: { url: EVIL } },
      then: null,
    },
    { given: { blocked_apis: ['shell.*'] }, when: { type: 'tool_use', payload: { url: 'nowhere' } }, then: null },
    // Further lines are prose, except to clients that remove line breaks.
    ...[
      'https://status.example/\nDeploy done',
      'https://status.example\r\nDeploy:\r\n- a\\b',
      'https://a.example/\nhttps://b.example/\n',
      'https://status.example is up\nhttps://evil.example is not',
    ].map((text): DecideCase => ({
      given: { blocked_apis: ['evil.example'] },
      when: { type: 'tool_use', payload: { text } },
      then: null,
    })),
    ...[
      ['https://evil.example/\nDeploy done', 'evil.example'],
      ['https://evil.exa\nmple/', 'evil.example'],
      ['https://ok.example\n@evil.example/', 'evil.example'],
      ['https://ok.example\r\n\\@%65vil.example/', 'evil.example'],
      ['https://x.example/ad\nmin/y', 'https://x.example/admin'],
      ['https://\nevil.example/', 'unreadable URL'],
      ['https:ok.example/\nDeploy done', 'unreadable URL'],
      ['https://ok.example\t/\nDeploy done', 'unreadable URL'],
    ].map(([text, rule]) =>
      denied(
        { blocked_apis: ['evil.example', 'https://x.example/admin'] },
        { type: 'tool_use', payload: { text } },
        'api_not_allowed',
        `blocked_apis:${rule}`,
      ),
    ),
    // A blocked path blocks no other path of its host, however an address of it is written.
    ...[
      { text: 'https://github.example/org/repo/pull/12\n' },
      { text: 'https://github.example/org/repo/pull/12\nPlease review' },
      { text: 'https://github.example/org/repo\r\n- a\\b' },
      { text: 'https://github.example/org/a\tGET\t200' },
      { github_url: 'github.example/jd' },
      { url: '//github.example/org/x' },
      { ssh_url: 'git@github.example:o/r.git' },
      { ws_url: 'wss://github.example/live' },
      { contact_url: 'mailto:bob@github.example' },
    ].map((payload): DecideCase => ({
      given: { blocked_apis: ['https://github.example/settings'] },
      when: { type: 'tool_use', payload },
      then: null,
    })),
    ...[
      { text: 'https://github.example/set\ntings/x' },
      { text: 'https://github.example/settings\nPlease review' },
      { text: 'https://github.example/x\n/../settings' },
      { text: 'https://ok.example\r\n\\@github.example/settings' },
      { text: 'https://github.example/settings\\x' },
      { text: 'https://github.example/x\\..\\settings' },
      { text: 'https://github.example/sett\tings' },
      { github_url: 'github.example/settings' },
      { url: '//github.example/settings?x' },
      { ws_url: 'wss://github.example/%73ettings' },
      // Where a backslash or a tab does not separate, the segment before `..` is another.
      { url: 'https://github.example/a\\b/../settings' },
      { github_url: 'github.example/a\\b/../settings' },
      { url: 'https://github.example/settings/x\\..\\..\\y' },
      { url: 'https://github.example/settings/.\t./y' },
    ].map((payload) => blockedBy('https://github.example/settings', { type: 'tool_use', payload })),
    // Links as messages and tables write them: no client takes the characters after the host for its end.
    ...[
      '<https://acme.example|Acme> is down',
      '<https://acme.example> is down',
      '<https://acme.example>, see',
      'https://acme.example|Acme|Berlin',
      'https://acme.example" he said',
      'https://acme.example` in code',
    ].map((text): DecideCase => ({
      given: { blocked_apis: ['evil.example', 'https://github.example/settings'] },
      when: { type: 'tool_use', payload: { text } },
      then: null,
    })),
    ...['<https://evil.example|Acme> is down', 'https://evil.example|Acme|Berlin'].map((text) =>
      blockedBy('evil.example', { type: 'tool_use', payload: { text } }),
    ),
    // A member that could be meant as the url is a further address.
    ...['target_url', 'request_url', 'endpoint', 'link'].map((name) =>
      blockedBy('evil.example', { type: 'tool_use', tool_name: 'fetch', url: 'https://ok.example/', [name]: EVIL }),
    ),
    // Other clients look up a name that the URL standard refuses as it is.
    ...['xn--a.bad.example/x', 'xn--a.bad.example:80/', 'user@xn--a.bad.example', 'git+https://xn--a.bad.example/'].map(
      (callback_url) => blockedBy('*.bad.example', { type: 'tool_use', payload: { callback_url } }),
    ),
    // A blank after a line break is not an end to clients that remove the break.
    ...['https://ok.example\n @evil.example/', 'https://ok.example \n@evil.example/'].map((to) =>
      blockedBy('evil.example', { type: 'tool_use', payload: { to } }),
    ),
    // A value that is not text names no address.
    ...[{ uri: 0 }, { payload: { url: 5 } }].map((members) =>
      denied({ require: ['url'] }, { type: 'tool_use', tool_name: 't', ...members }, 'api_not_allowed', 'require:url'),
    ),
    // A url counts as the argument that it repeats only where that is judged whole.
    ...['https://evil.example/x y', 'https://evil.example/ is down', 'https://evil.example/\nfoo'].flatMap((url) => [
      denied(
        { allowed_apis: ['t', 'docs.example'] },
        { type: 'tool_use', tool_name: 't', url, payload: { q: url } },
        'api_not_allowed',
        `allowed_apis:${url.includes('\n') ? 'unreadable URL' : 'not listed'}`,
      ),
      denied(
        { allowed_apis: ['t', 'docs.example'] },
        { type: 'tool_use', tool_name: 't', url, payload: { url } },
        'api_not_allowed',
        `allowed_apis:${url.includes('\n') ? 'unreadable URL' : 'not listed'}`,
      ),
    ]),
    denied(
      { blocked_apis: ['evil.example'] },
      { type: 'tool_use', url: 'https://good.example/\nfoo', payload: { note: 'https://good.example/\nfoo' } },
      'api_not_allowed',
      'blocked_apis:unreadable URL',
    ),
    // What is too long to parse cannot be judged, with or without a scheme.
    ...[`evil${'\u00ad'.repeat(300)}.example/x`, `https://evil${'\u00ad'.repeat(300)}.example/x`].map((url) =>
      denied(
        { blocked_apis: ['evil.example'] },
        { type: 'tool_use', payload: { url } },
        'api_not_allowed',
        'blocked_apis:unreadable URL',
      ),
    ),
    // Text that leads to no host, and words and cells after an address.
    ...[
      { endpoint: '0.05' },
      { endpoint: '17:30' },
      { link: '1.2' },
      { image_url: 'logo(1).png' },
      { website_url: 'acme.example,acme.de' },
      { file_uri: '\\\\server\\share\\a.txt' },
      { sip_uri: 'sip:b@c.example;transport=tls' },
      { text: 'https://a.example, which is down' },
      { text: 'https://a.example!' },
      { text: 'https://a.example,1\nhttps://b.example,2' },
      { text: 'https://a.example/x\tGET\t200' },
      { text: 'https://a.example/x is "C:\\x"' },
    ].map((payload): DecideCase => ({
      given: { blocked_apis: ['evil.example'] },
      when: { type: 'tool_use', payload },
      then: null,
    })),
    ...[
      { link: '010.0.0.1/x' },
      { link: '10.1' },
      { link: '167772161:80/x' },
      { website_url: 'acme.example,evil.example' },
      { file_uri: '\\\\evil.example\\share' },
      { sip_uri: 'sip:b@evil.example;transport=tls' },
      { text: 'https://evil.example, which is down' },
      { text: 'https://evil.example,1\nhttps://b.example,2' },
      { text: 'https://a.example,b\\@evil.example' },
    ].map((payload) => ({
      given: { blocked_apis: ['evil.example', '10.0.0.1', '127.0.0.1'] },
      when: { type: 'tool_use', payload },
      then: 'api_not_allowed' as const,
    })),
    // Tools join a list under url in their own ways.
    ...[
      ['https://evil', '.example'],
      ['evil', 'example'],
      ['https://ev', 'il.example'],
    ].map((url) =>
      denied(
        { blocked_apis: ['evil.example'] },
        { type: 'tool_use', tool_name: 'fetch', payload: { url } },
        'api_not_allowed',
        'blocked_apis:unreadable URL',
      ),
    ),
    {
      given: { blocked_apis: ['evil.example'] },
      when: { type: 'tool_use', payload: { urls: ['/a', 'ok.example'], image_url: ['b', 'ok.example/c'] } },
      then: null,
    },
    // A url that the caller names does not make another one readable.
    ...[
      'https:evil.example/x',
      'http://evil.example\\x',
      'https://evil.example\t/',
      'http://ok.example\\@evil.example/',
      ['x'],
    ].map((url) =>
      denied(
        { blocked_apis: ['evil.example'] },
        { type: 'tool_use', tool_name: 'fetch', url: 'https://ok.example/', payload: { url } },
        'api_not_allowed',
        'blocked_apis:unreadable URL',
      ),
    ),
    ...['file:///a.txt', '/next', 'users'].map((link): DecideCase => ({
      given: { blocked_apis: ['evil.example'] },
      when: { type: 'tool_use', tool_name: 'fetch', url: 'https://ok.example/', payload: { link } },
      then: null,
    })),
    // Other shapes of arguments.
    ...[
      { type: 'function', function: { name: 'fetch', arguments: JSON.stringify({ url: EVIL }) } },
      { type: 'functionCall', functionCall: { name: 'fetch', args: { url: EVIL } } },
      { tool_calls: [{ function: { name: 'fetch', arguments: JSON.stringify({ url: EVIL }) } }] },
      { type: 'x', toolName: 'fetch', options: { link: EVIL } },
      ...['tool_args', 'tool_arguments', 'toolParams', 'inputs', 'argument', 'body', 'data', 'request', 'x'].flatMap(
        (name) => [
          { [name]: { url: EVIL } },
          { [name]: [JSON.stringify({ url: EVIL })] },
          { [name]: JSON.stringify([EVIL]) },
        ],
      ),
      { resource: { url: EVIL } },
      { resource: { type: 'tool', id: 'http_get', properties: { request: { url: EVIL } } } },
      { payload: JSON.stringify(JSON.stringify({ url: EVIL })) },
      { payload: JSON.stringify(JSON.stringify(JSON.stringify({ url: EVIL }))) },
      { payload: `\ufeff \u00a0${JSON.stringify({ url: EVIL })}` },
      { payload: JSON.stringify([JSON.stringify({ url: EVIL })]) },
      // Values that Python and others accept as JSON.
      ...['NaN', 'Infinity', '-Infinity', '"a\nb"', '["NaN", NaN, "\\"\t"]'].map((value) => ({
        payload: `{"retries": ${value}, "url": "${EVIL}"}`,
      })),
      { payload: `[NaN, "${EVIL}"]` },
      { payload: `\`\`\`json\n{"url": "${EVIL}"}\n\`\`\`` },
      { arguments: ` \`\`\`\n{"url": "${EVIL}"}\`\`\` ` },
      { payload: { arguments: JSON.stringify(JSON.stringify({ arguments: JSON.stringify({ url: EVIL }) })) } },
    ].flatMap((more) => {
      const when = { type: 'tool_use', ...(`type` in more ? {} : { tool_name: 'fetch' }), ...more };
      return [
        denied({ blocked_apis: ['evil.example'] }, when, 'api_not_allowed', 'blocked_apis:evil.example'),
        denied({ allowed_apis: ['ok.example', 'fetch'] }, when, 'api_not_allowed', 'allowed_apis:not listed'),
      ];
    }),
    denied(
      { blocked_apis: ['evil.example'] },
      { type: 'tool_use', payload: [1, 2, 3, 4].reduce((text) => JSON.stringify(text), EVIL) },
      'api_not_allowed',
      'blocked_apis:unreadable URL',
    ),
    ...[
      { body: `see ${EVIL}`, name: EVIL, metadata: { url: EVIL } },
      { subject: { properties: { url: EVIL } }, resource: { type: 'page', id: EVIL } },
      { type: 'llm_response', data: { url: EVIL } },
      { type: 'order', data: { url: EVIL } },
      { payload: { body: JSON.stringify({ url: EVIL }) } },
    ].map((more): DecideCase => ({
      given: { blocked_apis: ['evil.example'] },
      when: { type: 'tool_use', ...more },
      then: null,
    })),
    blockedBy('evil.example', { type: 'tool_use', payload: `["${EVIL.replace('evil', 'ev\nil')}"]` }),
    // After many texts that begin as JSON and are not, the content of a text is unknown.
    denied(
      { blocked_apis: ['evil.example'] },
      { type: 'tool_use', payload: [JSON.stringify({ link: EVIL }), ...Array<string>(2_000).fill('[""1]')].reverse() },
      'api_not_allowed',
      'blocked_apis:unreadable URL',
    ),
    {
      given: { blocked_apis: ['evil.example'] },
      when: { type: 'tool_use', input: Array.from({ length: 5_000 }, (_, n) => `[${n}] see [${n + 1}]`) },
      then: null,
    },
    // Members of the call itself.
    ...[{ callback_url: EVIL }, { urls: '["evil.example"]' }, { image_urls: ['evil.example'] }].map((more) =>
      blockedBy('evil.example', { type: 'tool_use', tool_name: 'fetch', ...more }),
    ),
    // A list of names only may name hosts, and does not limit an address that cannot be read.
    ...['intranet/x', 'http:intranet/x', '//intranet', 'x://intranet/', 'http:\\\\Intranet', 'intranet'].map((link) =>
      denied(
        { blocked_apis: ['intranet', 'delete_user'] },
        { type: 'tool_use', tool_name: 'fetch', payload: { link } },
        'api_not_allowed',
        'blocked_apis:intranet',
      ),
    ),
    ...['intranets', 'http:other', '/intranet', 'the intranet', 'mailto:a@b', 'https://a b/'].map(
      (link): DecideCase => ({
        given: { blocked_apis: ['intranet', 'delete_user'] },
        when: { type: 'tool_use', tool_name: 'fetch', payload: { link } },
        then: null,
      }),
    ),
    {
      given: { blocked_apis: ['delete_user'] },
      when: { type: 'tool_use', payload: { url: false, 'http://[x': 1 } },
      then: null,
    },
    ...[['api.example.com/*'], ['*'], ['https://intranet/x'], ['delete_user', '10.0.0.1']].map((blocked) =>
      denied(
        { blocked_apis: blocked },
        { type: 'tool_use', tool_name: 'fetch', payload: { link: 'https:api.example.com' } },
        'api_not_allowed',
        'blocked_apis:unreadable URL',
      ),
    ),
    {
      given: { blocked_apis: ['evil.example'] },
      when: { type: 'tool_use', payload: { url: 'https://good.example/' } },
      then: null,
      coverage: 'governed',
    },
    {
      given: { require: ['url'] },
      when: { type: 'tool_use', tool_name: 'fetch', payload: { url: EVIL } },
      then: null,
    },
    denied({ require: ['url'] }, { type: 'llm_response', payload: EVIL }, 'api_not_allowed', 'require:url'),
  ],
  'a URL that ends with a blank of another script is denied wherever an API rule exists': urls(
    { blocked_apis: ['https://api.example.com/admin'] },
    ['https://api.example.com/x\u00a0y'],
    ['https://api.example.com/admin\u00a0', 'https://api.example.com/admin\u2003 ', '\u00a0https://api.example.com/x'],
    'blocked_apis:unreadable URL',
  ),
  'what is required must be named': [
    denied({ require: ['cost'] }, { type: 'x' }, 'spending_limit_exceeded', 'require:cost'),
    denied({ require: ['cost'] }, { type: 'x', cost: 1 }, 'spending_limit_exceeded', 'require:cost'),
    { given: { require: ['cost'] }, when: { type: 'x', estimatedCost: 0 }, then: null, coverage: 'governed' },
    denied({ require: ['cost', 'url'] }, { type: 'x', estimatedCost: 0 }, 'api_not_allowed', 'require:url'),
    denied({ require: ['data_scope'] }, { type: 'x' }, 'data_scope_denied', 'require:data_scope'),
    denied({ require: ['tool'] }, { type: 'x' }, 'off_limits_action', 'require:tool'),
    denied({ require: ['url'] }, { type: 'x', url: '' }, 'api_not_allowed', 'require:url'),
    denied({ require: ['url'] }, { type: 'x', url: ' \u200b\n' }, 'api_not_allowed', 'require:url'),
    denied({ require: ['data_scope'] }, { type: 'x', dataScope: ' ' }, 'data_scope_denied', 'require:data_scope'),
    denied({ require: ['tool'] }, { type: 'x', tool_name: '', toolName: ' ' }, 'off_limits_action', 'require:tool'),
    denied({ require: ['tool'] }, { type: 'x', tool_name: '' }, 'off_limits_action', 'require:tool'),
    { given: { require: ['tool'] }, when: { type: 'x', tool_name: '', toolName: 'a' }, then: null },
    { given: { require: ['tool', 'url'] }, when: { type: 'x', toolName: 'a', url: 'anything' }, then: null },
    denied(
      { require: ['cost'], off_limits_actions: ['x'] },
      { type: 'x' },
      'off_limits_action',
      'off_limits_actions:x',
    ),
  ],
  'limits govern but are judged elsewhere': [
    { given: { spending_limit: 1 }, when: { type: 'x', estimatedCost: 5 }, then: null, coverage: 'governed' },
    { given: { spending_limit: 1 }, when: { type: 'x' }, then: null, coverage: 'none' },
    { given: { rate_limit: { max: 1, per_seconds: 1 } }, when: { type: 'x' }, then: null, coverage: 'governed' },
  ],
};
