import { clientEnvironment } from './client-environment.js';
import { ConfigurationError, loadConfig } from './load-config.js';

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
}

const SERVERS = {
  COUNTERSIGN_PROFILE: 'distributed',
  KAFKA_BROKERS: 'a:9092',
  MONGODB_URI: 'mongodb://a',
  REDIS_URL: 'redis://a',
  SOLANA_RPC_URL: 'http://a',
};

describe('configuration', () => {
  it('has a default for everything', () => {
    expect(loadConfig({})).toMatchObject({
      profile: 'embedded',
      dataDir: `${process.cwd()}/data`,
      host: '127.0.0.1',
      port: 8080,
      publicUrl: null,
      publicRequestsPerMinute: 3000,
      pendingApprovalsPerAgent: 100,
      idempotencyKeysPerAccount: 100_000,
      checkDeadlineMs: 1000,
      anchorWindowSeconds: null,
      openRegistration: true,
      localnetPort: null,
      solanaRpcUrls: [],
    });
  });

  it('starts where an agent’s own variables are set, and reads none of them', () => {
    const ofClients = {
      COUNTERSIGN_API_KEY: 'csn_live_x',
      COUNTERSIGN_AGENT_ID: 'a',
      COUNTERSIGN_BASE_URL: 'not judged here',
    };
    expect(loadConfig(ofClients)).toEqual(loadConfig({}));
    expect(clientEnvironment({ ...ofClients, COUNTERSIGN_API_KEY: ' ' })).toEqual({
      apiKey: undefined,
      agentId: 'a',
      baseUrl: 'not judged here',
    });
  });

  it('reads every variable', () => {
    const config = loadConfig({
      COUNTERSIGN_DATA_DIR: '/var/lib/countersign',
      COUNTERSIGN_HOST: '::1',
      COUNTERSIGN_PORT: '0',
      COUNTERSIGN_PUBLIC_URL: 'https://api.example.com/',
      COUNTERSIGN_CHECK_DEADLINE_MS: '250',
      COUNTERSIGN_ANCHOR_WINDOW_SECONDS: '2',
      COUNTERSIGN_OPEN_REGISTRATION: 'false',
      COUNTERSIGN_LOCALNET_PORT: '8899',
      COUNTERSIGN_LOG_LEVEL: 'debug',
      SOLANA_RPC_URL: 'https://a.example.com/?key=1, https://b.example.com',
    });
    expect(config).toMatchObject({
      dataDir: '/var/lib/countersign',
      host: '::1',
      port: 0,
      publicUrl: 'https://api.example.com',
      checkDeadlineMs: 250,
      anchorWindowSeconds: 2,
      openRegistration: false,
      localnetPort: 8899,
      logLevel: 'debug',
      solanaRpcUrls: ['https://a.example.com/?key=1', 'https://b.example.com'],
    });
  });

  it('names each unknown variable of its own and each malformed value, without repeating values', () => {
    const problems = problemsOf({
      COUNTERSIGN_PROT: '1',
      COUNTERSIGN_PORT: '80a',
      COUNTERSIGN_OPEN_REGISTRATION: 'yes',
      COUNTERSIGN_PUBLIC_URL: 'ftp://secret.example.com',
      COUNTERSIGN_CHECK_DEADLINE_MS: '0',
      OTHER_PORT: 'x',
    });
    expect(problems).toEqual([
      'COUNTERSIGN_PROT is not a variable of this program',
      'COUNTERSIGN_PORT must be a whole number from 0 to 65535',
      'COUNTERSIGN_PUBLIC_URL must be an http:// or https:// address without query and credentials',
      'COUNTERSIGN_CHECK_DEADLINE_MS must be a whole number from 1 to 60000',
      'COUNTERSIGN_OPEN_REGISTRATION must be true or false',
    ]);
    expect(problems.join()).not.toContain('secret');
  });

  it('lets variables of tests be', () => {
    expect(loadConfig({ COUNTERSIGN_TEST_SEED: '7' })).toEqual(loadConfig({}));
  });

  it('reads where alerts may go, and for how long they are summed', () => {
    expect(loadConfig({})).toMatchObject({ webhookAllowedHosts: [], alertWindowSeconds: 300, smtpUrl: null });
    const hosts = { COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: 'Localhost:9999, 10.0.0.1:80' };
    const mail = { SMTP_URL: 'smtps://user:pw@mail.example:465', SMTP_FROM: 'alerts@mail.example' };
    expect(loadConfig({ ...hosts, ...mail, COUNTERSIGN_ALERT_WINDOW_SECONDS: '5' })).toMatchObject({
      webhookAllowedHosts: ['localhost:9999', '10.0.0.1:80'],
      alertWindowSeconds: 5,
      smtpUrl: 'smtps://user:pw@mail.example:465',
      smtpFrom: 'alerts@mail.example',
    });
    expect(problemsOf({ SMTP_URL: 'https://mail.example' })).toHaveLength(1);
  });

  it('reads how long content is kept, and lets none keep less than a law asks', () => {
    expect(loadConfig({}).retentionMonths).toEqual({ soc2: 13, euaiact: 13, hipaa: 72, nydfs: 72, undeclared: 72 });
    const read = (months: string) => loadConfig({ COUNTERSIGN_RETENTION_MONTHS: months }).retentionMonths;
    expect(read('off')).toBeNull();
    expect(read('euaiact=6, undeclared=24')).toMatchObject({ euaiact: 6, undeclared: 24, hipaa: 72 });
    for (const wrong of ['hipaa=71', 'nydfs=59', 'sr11-7=12', 'soc2=', 'soc2=1e3', 'on', 'soc2=1201']) {
      expect(problemsOf({ COUNTERSIGN_RETENTION_MONTHS: wrong })).toHaveLength(1);
    }
  });

  it('names what the distributed profile lacks', () => {
    expect(problemsOf({ COUNTERSIGN_PROFILE: 'distributed', REDIS_URL: 'redis://127.0.0.1' })).toEqual([
      'KAFKA_BROKERS is missing: COUNTERSIGN_PROFILE=distributed needs it',
      'MONGODB_URI is missing: COUNTERSIGN_PROFILE=distributed needs it',
      'SOLANA_RPC_URL is missing: COUNTERSIGN_PROFILE=distributed needs it',
    ]);
  });

  it('has no port for probes alone unless one is named', () => {
    expect(loadConfig(SERVERS).probesPort).toBeNull();
    const both = { ...SERVERS, COUNTERSIGN_PORT: '0', COUNTERSIGN_PROBES_PORT: '0' };
    expect(loadConfig(both)).toMatchObject({ port: 0, probesPort: 0 });
  });

  it.each<[string, Record<string, string>, string]>([
    ['the default of the other', { ...SERVERS, COUNTERSIGN_PROBES_PORT: '8080' }, 'must not be COUNTERSIGN_PORT'],
    [
      'the other',
      { ...SERVERS, COUNTERSIGN_PORT: '9000', COUNTERSIGN_PROBES_PORT: '9000' },
      'must not be COUNTERSIGN_PORT',
    ],
    ['none', { ...SERVERS, COUNTERSIGN_PROBES_PORT: '-1' }, 'must be a whole number from 0 to 65535'],
    ['one of the embedded profile', { COUNTERSIGN_PROBES_PORT: '8081' }, 'needs COUNTERSIGN_PROFILE=distributed'],
  ])('refuses a port for probes that is %s', (_what, variables, problem) => {
    expect(problemsOf(variables)).toEqual([`COUNTERSIGN_PROBES_PORT ${problem}`]);
  });

  it('keeps registration closed in the distributed profile unless it is opened', () => {
    expect(loadConfig(SERVERS).openRegistration).toBe(false);
    expect(loadConfig({ ...SERVERS, COUNTERSIGN_OPEN_REGISTRATION: 'true' }).openRegistration).toBe(true);
  });

  it('takes an empty variable as absent', () => {
    expect(loadConfig({ COUNTERSIGN_PORT: '' }).port).toBe(8080);
  });
});

describe('configuration of Kafka', () => {
  const tls = { KAFKA_TLS: 'true' };
  const sasl = {
    KAFKA_SASL_MECHANISM: 'plain',
    KAFKA_SASL_USERNAME: 'alice',
    KAFKA_SASL_PASSWORD_FILE: '/run/password',
  };

  it('has neither TLS nor SASL unless they are set', () => {
    expect(loadConfig(SERVERS)).toMatchObject({ kafkaTls: null, kafkaSasl: null });
    expect(loadConfig({ ...SERVERS, KAFKA_TLS: 'false' }).kafkaTls).toBeNull();
  });

  it('takes TLS alone, with files, and with credentials', () => {
    const files = { KAFKA_TLS_CA_FILE: '/ca.pem', KAFKA_TLS_CERT_FILE: 'cert.pem', KAFKA_TLS_KEY_FILE: '/key.pem' };
    const name = { KAFKA_TLS_SERVERNAME: 'kafka.internal' };
    const none = { caFile: null, certFile: null, keyFile: null, servername: null };
    expect(loadConfig({ ...SERVERS, ...tls }).kafkaTls).toEqual(none);
    expect(loadConfig({ ...SERVERS, ...tls, ...name }).kafkaTls).toEqual({ ...none, servername: 'kafka.internal' });
    expect(loadConfig({ ...SERVERS, ...tls, ...files, ...sasl })).toMatchObject({
      kafkaTls: { caFile: '/ca.pem', certFile: `${process.cwd()}/cert.pem`, keyFile: '/key.pem', servername: null },
      kafkaSasl: { mechanism: 'plain', username: 'alice', passwordFile: '/run/password' },
    });
  });

  it("takes mechanisms as Kafka's own configuration writes them, also without TLS when no password is sent", () => {
    const scram = { ...SERVERS, ...sasl, KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512' };
    expect(loadConfig(scram).kafkaSasl?.mechanism).toBe('scram-sha-512');
    expect(problemsOf({ ...scram, KAFKA_SASL_MECHANISM: 'gssapi' })).toEqual([
      'KAFKA_SASL_MECHANISM must be one of plain, scram-sha-256, scram-sha-512',
    ]);
  });

  it.each<[string, object, string[]]>([
    ['a file without TLS', { KAFKA_TLS_CA_FILE: '/ca' }, ['KAFKA_TLS must be true: KAFKA_TLS_CA_FILE is set']],
    [
      'a name of the brokers without TLS',
      { KAFKA_TLS_SERVERNAME: 'kafka' },
      ['KAFKA_TLS must be true: KAFKA_TLS_SERVERNAME is set'],
    ],
    ...['10.0.0.1', '::1', 'kafka:9093', '*.internal', 'a..b', '-a'].map((name): [string, object, string[]] => [
      `${name} as the name of the brokers`,
      { ...tls, KAFKA_TLS_SERVERNAME: name },
      ['KAFKA_TLS_SERVERNAME must be a host name, not an IP address'],
    ]),
    [
      'a certificate without its key',
      { ...tls, KAFKA_TLS_CERT_FILE: '/cert' },
      ['KAFKA_TLS_KEY_FILE is missing: KAFKA_TLS_CERT_FILE needs it'],
    ],
    [
      'a key without its certificate',
      { ...tls, KAFKA_TLS_KEY_FILE: '/key' },
      ['KAFKA_TLS_CERT_FILE is missing: KAFKA_TLS_KEY_FILE needs it'],
    ],
    [
      'a certificate of brokers beside one of this program',
      { ...tls, COUNTERSIGN_TLS_CERT_FILE: '/cert', COUNTERSIGN_TLS_KEY_FILE: '/key' },
      [
        'COUNTERSIGN_TLS_CERT_FILE is for the embedded profile: set the certificate at the edge proxy',
        'COUNTERSIGN_TLS_KEY_FILE is for the embedded profile: set the certificate at the edge proxy',
      ],
    ],
    [
      'a name without mechanism and password',
      { KAFKA_SASL_USERNAME: 'alice' },
      [
        'KAFKA_SASL_MECHANISM is missing: KAFKA_SASL_USERNAME needs it',
        'KAFKA_SASL_PASSWORD_FILE is missing: KAFKA_SASL_USERNAME needs it',
      ],
    ],
    [
      'a mechanism without a name',
      { ...tls, ...sasl, KAFKA_SASL_USERNAME: '' },
      ['KAFKA_SASL_USERNAME is missing: KAFKA_SASL_MECHANISM needs it'],
    ],
    ['a password in clear', sasl, ['KAFKA_TLS must be true: KAFKA_SASL_MECHANISM=plain sends the password itself']],
  ])('refuses %s', (_what, variables, problems) => {
    expect(problemsOf({ ...SERVERS, ...variables })).toEqual(problems);
  });
});

describe('the certificate of the public address', () => {
  it('is two files, or none', () => {
    expect(loadConfig({}).tls).toBeNull();
    const both = { COUNTERSIGN_TLS_CERT_FILE: '/cert', COUNTERSIGN_TLS_KEY_FILE: '/key' };
    expect(loadConfig(both).tls).toEqual({ certFile: '/cert', keyFile: '/key' });
    expect(problemsOf({ COUNTERSIGN_TLS_CERT_FILE: '/cert' })).toEqual([
      'COUNTERSIGN_TLS_KEY_FILE is missing: COUNTERSIGN_TLS_CERT_FILE needs it',
    ]);
    expect(problemsOf({ COUNTERSIGN_TLS_KEY_FILE: '/key' })).toEqual([
      'COUNTERSIGN_TLS_CERT_FILE is missing: COUNTERSIGN_TLS_KEY_FILE needs it',
    ]);
  });
});

describe('configuration of Redis', () => {
  it.each(['redis://a', 'rediss://user:p%40,s@a.example:6380/9', 'redis://[::1]:6379/', 'redis://:p@a?family=6'])(
    'takes one address: %s',
    (REDIS_URL) => {
      expect(loadConfig({ ...SERVERS, REDIS_URL }).redisUrl).toBe(REDIS_URL);
    },
  );

  it.each([
    'redis://a:26379,b:26379/mymaster',
    'redis://a,b:6379',
    'redis://a:6379,redis://b:6379',
    'redis+sentinel://a:26379/mymaster/0',
    'redis-cluster://a:6379',
    'redis://a:6379/mymaster',
    'redis:///0',
  ])('refuses several servers, or what finds them: %s', (REDIS_URL) => {
    expect(problemsOf({ ...SERVERS, REDIS_URL })).toEqual([
      'REDIS_URL must be one address redis:// or rediss:// of the primary; Sentinels and clusters are not supported',
    ]);
  });

  it('does not start on a local folder where servers are named and the profile is not', () => {
    expect(problemsOf({ KAFKA_BROKERS: 'a:9092', REDIS_URL: 'redis://a', KAFKA_TLS: 'true' })).toEqual(
      ['KAFKA_BROKERS', 'KAFKA_TLS', 'REDIS_URL'].map((name) =>
        expect.stringMatching(new RegExp(`^${name} is for COUNTERSIGN_PROFILE=distributed`)),
      ),
    );
    expect(loadConfig({ COUNTERSIGN_PROFILE: 'embedded', REDIS_URL: 'redis://a' }).profile).toBe('embedded');
  });

  it.each([
    ['COUNTERSIGN_IDENTITY_URL', 'http://a'],
    ['COUNTERSIGN_INSTANCE_SECRET_FILE', '/a'],
    ['COUNTERSIGN_BEHIND_EDGE', 'true'],
    ['COUNTERSIGN_KAFKA_TOPIC_PREFIX', 'a.'],
    ['COUNTERSIGN_PROBES_PORT', '9090'],
  ])('does not leave %s unused', (name, value) => {
    const words = `${name} needs COUNTERSIGN_PROFILE=distributed`;
    expect(problemsOf({ [name]: value })).toEqual([words]);
    expect(problemsOf({ [name]: value, COUNTERSIGN_PROFILE: 'embedded' })).toEqual([words]);
  });
});

describe('configuration of single sign-on', () => {
  const open = { COUNTERSIGN_OIDC_ISSUER: 'https://login.example.com/', COUNTERSIGN_OIDC_CLIENT_ID: 'countersign' };
  const least = { ...open, COUNTERSIGN_OPEN_REGISTRATION: 'false' };
  const ACCOUNT = '2f6f0a6b-92c1-4f6e-8d2e-6f0c1b7a9e35';

  it('is none unless an issuer is named, whose text is kept letter by letter', () => {
    expect(loadConfig({}).singleSignOn).toBeNull();
    expect(loadConfig(least).singleSignOn).toEqual({
      issuer: 'https://login.example.com/',
      clientId: 'countersign',
      clientSecretFile: null,
      scopes: 'openid email profile',
      label: 'login.example.com',
      roles: null,
      accountId: null,
      createsUsers: false,
      refusesPasswords: false,
    });
  });

  it('reads every variable', () => {
    const all = {
      ...least,
      COUNTERSIGN_OIDC_CLIENT_SECRET_FILE: 'secret',
      COUNTERSIGN_OIDC_SCOPES: 'openid  email groups',
      COUNTERSIGN_OIDC_LABEL: 'Example Bank',
      COUNTERSIGN_OIDC_ROLE_CLAIM: 'realm_access.roles',
      COUNTERSIGN_OIDC_ROLES: 'cn=risk=auditor, platform team=admin',
      COUNTERSIGN_OIDC_ACCOUNT: ACCOUNT.toUpperCase(),
      COUNTERSIGN_OIDC_CREATE_USERS: 'true',
      COUNTERSIGN_OIDC_REFUSE_PASSWORDS: 'true',
    };
    expect(loadConfig(all).singleSignOn).toEqual({
      issuer: 'https://login.example.com/',
      clientId: 'countersign',
      clientSecretFile: `${process.cwd()}/secret`,
      scopes: 'openid email groups',
      label: 'Example Bank',
      roles: {
        claim: 'realm_access.roles',
        byValue: [
          ['cn=risk', 'auditor'],
          ['platform team', 'admin'],
        ],
      },
      accountId: ACCOUNT,
      createsUsers: true,
      refusesPasswords: true,
    });
  });

  it.each<[string, string]>([
    ['COUNTERSIGN_OIDC_ISSUER', 'http://login.example.com'],
    ['COUNTERSIGN_OIDC_ISSUER', 'https://user@login.example.com'],
    ['COUNTERSIGN_OIDC_ISSUER', 'https://login.example.com/?tenant=1'],
    ['COUNTERSIGN_OIDC_SCOPES', 'openid profile'],
    ['COUNTERSIGN_OIDC_LABEL', 'a\nb'],
    ['COUNTERSIGN_OIDC_ROLES', 'owners=owner'],
    ['COUNTERSIGN_OIDC_ROLES', 'owners=admin,owners=member'],
    ['COUNTERSIGN_OIDC_ROLES', '=admin'],
    ['COUNTERSIGN_OIDC_ACCOUNT', 'Example'],
  ])('refuses %s %s', (name, value) => {
    const found = problemsOf({
      ...least,
      COUNTERSIGN_OIDC_ROLE_CLAIM: 'groups',
      COUNTERSIGN_OIDC_ROLES: 'a=admin',
      [name]: value,
    });
    expect(found).toEqual([expect.stringMatching(new RegExp(`^${name} must be `))]);
  });

  it.each<[string, Record<string, string>, string]>([
    ['a client without an issuer', { COUNTERSIGN_OIDC_CLIENT_ID: 'a' }, 'COUNTERSIGN_OIDC_ISSUER is missing'],
    [
      'an issuer without a client',
      { ...least, COUNTERSIGN_OIDC_CLIENT_ID: '' },
      'COUNTERSIGN_OIDC_CLIENT_ID is missing',
    ],
    ['a claim without roles', { ...least, COUNTERSIGN_OIDC_ROLE_CLAIM: 'a' }, 'must be set together'],
    ['roles without a claim', { ...least, COUNTERSIGN_OIDC_ROLES: 'a=admin' }, 'must be set together'],
    [
      'users that are created without a role',
      { ...least, COUNTERSIGN_OIDC_CREATE_USERS: 'true', COUNTERSIGN_OIDC_ACCOUNT: ACCOUNT },
      'COUNTERSIGN_OIDC_ROLE_CLAIM is missing: COUNTERSIGN_OIDC_CREATE_USERS needs it',
    ],
    ['users of every account where registration is open by default', open, 'COUNTERSIGN_OIDC_ACCOUNT is missing'],
    [
      'users of every account where registration is open in the distributed profile',
      {
        ...SERVERS,
        ...open,
        COUNTERSIGN_PUBLIC_URL: 'https://countersign.example.com',
        COUNTERSIGN_OPEN_REGISTRATION: 'true',
      },
      'set it, or COUNTERSIGN_OPEN_REGISTRATION=false',
    ],
    ['no public address in the distributed profile', { ...SERVERS, ...least }, 'COUNTERSIGN_PUBLIC_URL is missing'],
  ])('refuses %s', (_what, variables, problem) => {
    expect(problemsOf(variables)).toEqual([expect.stringContaining(problem)]);
  });

  it('is of one account where registration is open, and of every account where it is not', () => {
    expect(loadConfig({ ...open, COUNTERSIGN_OIDC_ACCOUNT: ACCOUNT }).singleSignOn?.accountId).toBe(ACCOUNT);
    expect(loadConfig(least).singleSignOn?.accountId).toBeNull();
  });
});
