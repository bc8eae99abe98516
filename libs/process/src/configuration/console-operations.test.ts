import { loadConfig } from './load-config.js';
import type { ConfigurationError } from './load-config.js';

const DISTRIBUTED = {
  COUNTERSIGN_PROFILE: 'distributed',
  KAFKA_BROKERS: 'kafka:9092',
  MONGODB_URI: 'mongodb://mongo',
  REDIS_URL: 'redis://redis',
  SOLANA_RPC_URL: 'http://rpc',
};

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    loadConfig(environment);
    return [];
  } catch (error) {
    return (error as ConfigurationError).problems;
  }
}

describe('the state of the installation in the console', () => {
  const shown = (environment: Record<string, string>): unknown => loadConfig(environment).consoleOperations;

  it('is shown by default where accounts are made on this machine alone', () => {
    expect(shown({})).toEqual({ probes: [] });
    expect(
      shown({ COUNTERSIGN_HOST: '::1', COUNTERSIGN_PUBLIC_URL: 'http://countersign.localhost:8080' }),
    ).not.toBeNull();
    expect(shown({ COUNTERSIGN_HOST: '0.0.0.0' })).toBeNull();
    expect(shown({ COUNTERSIGN_PUBLIC_URL: 'https://countersign.example' })).toBeNull();
    expect(shown({ COUNTERSIGN_HOST: '0.0.0.0', COUNTERSIGN_OPEN_REGISTRATION: 'false' })).not.toBeNull();
    expect(shown(DISTRIBUTED)).toBeNull();
  });

  it('is shown or not as the variable says', () => {
    expect(shown({ COUNTERSIGN_CONSOLE_OPERATIONS: 'false' })).toBeNull();
    expect(shown({ COUNTERSIGN_CONSOLE_OPERATIONS: 'true', COUNTERSIGN_HOST: '0.0.0.0' })).toEqual({ probes: [] });
  });

  it('is read from named addresses in the distributed profile', () => {
    const on = { ...DISTRIBUTED, COUNTERSIGN_CONSOLE_OPERATIONS: 'true' };
    expect(shown({ ...on, COUNTERSIGN_CONSOLE_PROBES: 'gateway=http://gateway:8081, mcp=https://mcp/' })).toEqual({
      probes: [
        { name: 'gateway', url: 'http://gateway:8081' },
        { name: 'mcp', url: 'https://mcp' },
      ],
    });
    for (const wrong of [
      'gateway',
      'a=ftp://a',
      '=http://a',
      'a=http://a,a=http://b',
      'a=http://u:p@a',
      'a b=http://a',
    ]) {
      expect(problemsOf({ ...on, COUNTERSIGN_CONSOLE_PROBES: wrong })).toHaveLength(1);
    }
    const many = Array.from({ length: 33 }, (_, n) => `s${n}=http://s${n}`).join(',');
    expect(problemsOf({ ...on, COUNTERSIGN_CONSOLE_PROBES: many })).toHaveLength(1);
  });

  it('is refused where one variable lacks the other, and without the profile', () => {
    const probes = { COUNTERSIGN_CONSOLE_PROBES: 'gateway=http://gateway:8081' };
    expect(problemsOf({ ...DISTRIBUTED, COUNTERSIGN_CONSOLE_OPERATIONS: 'true' })).toEqual([
      'COUNTERSIGN_CONSOLE_PROBES is missing: COUNTERSIGN_CONSOLE_OPERATIONS=true needs it',
    ]);
    expect(problemsOf({ ...DISTRIBUTED, ...probes })).toEqual([
      'COUNTERSIGN_CONSOLE_PROBES needs COUNTERSIGN_CONSOLE_OPERATIONS=true',
    ]);
    expect(problemsOf(probes)).toEqual(['COUNTERSIGN_CONSOLE_PROBES needs COUNTERSIGN_PROFILE=distributed']);
  });
});
