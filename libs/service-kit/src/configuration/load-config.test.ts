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

describe('configuration', () => {
  it('has a default for everything', () => {
    expect(loadConfig({})).toMatchObject({
      profile: 'embedded',
      dataDir: `${process.cwd()}/data`,
      host: '127.0.0.1',
      port: 8080,
      publicUrl: null,
      checkDeadlineMs: 1000,
      anchorWindowSeconds: null,
      openRegistration: true,
      localnetPort: null,
      solanaRpcUrls: [],
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

  it('lets variables of tests, and those that no service of this release reads, be', () => {
    const config = loadConfig({ COUNTERSIGN_TEST_SEED: '7', COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: 'localhost:9999' });
    expect(config).toEqual(loadConfig({}));
  });

  it('names what the distributed profile lacks', () => {
    expect(problemsOf({ COUNTERSIGN_PROFILE: 'distributed', REDIS_URL: 'redis://127.0.0.1' })).toEqual([
      'KAFKA_BROKERS is missing: COUNTERSIGN_PROFILE=distributed needs it',
      'MONGODB_URI is missing: COUNTERSIGN_PROFILE=distributed needs it',
      'SOLANA_RPC_URL is missing: COUNTERSIGN_PROFILE=distributed needs it',
    ]);
  });

  it('keeps registration closed in the distributed profile unless it is opened', () => {
    const servers = {
      COUNTERSIGN_PROFILE: 'distributed',
      KAFKA_BROKERS: 'a:9092',
      MONGODB_URI: 'mongodb://a',
      REDIS_URL: 'redis://a',
      SOLANA_RPC_URL: 'http://a',
    };
    expect(loadConfig(servers).openRegistration).toBe(false);
    expect(loadConfig({ ...servers, COUNTERSIGN_OPEN_REGISTRATION: 'true' }).openRegistration).toBe(true);
  });

  it('takes an empty variable as absent', () => {
    expect(loadConfig({ COUNTERSIGN_PORT: '' }).port).toBe(8080);
  });
});
