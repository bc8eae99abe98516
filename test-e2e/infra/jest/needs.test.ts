import { needsOf } from './needs.js';

const KAFKA = '#infra/processes/kafka.js';
const importing = (path: string): string => `import { it } from '${path}';\n`;

const FILES: Readonly<Record<string, string>> = {
  '/libs/x/dist/plain.test.js': importing('./add.js'),
  '/libs/x/dist/add.js': 'export const add = (a, b) => a + b;',
  '/libs/x/dist/redis.int.test.js': "const url = process.env['COUNTERSIGN_TEST_REDIS_URL'];",
  '/e2e/dist/scenarios/check.test.js': importing('../instance/profiles.js'),
  '/e2e/dist/instance/profiles.js':
    "import './check.js';\nconst a = process.env['COUNTERSIGN_TEST_KAFKA_BROKERS'], b = process.env.COUNTERSIGN_TEST_MONGODB_URI;",
  '/e2e/dist/instance/check.js': "import '../scenarios/check.test.js';",
  '/e2e/dist/faults/broker.test.js': `const { startKafka } = await import('${KAFKA}');`,
  '/e2e/dist/infra/processes/own.test.js': importing('./redis.js'),
};

const needs = (path: string) => {
  const { shared, own } = needsOf(path, (name) => FILES[name] ?? null);
  return { shared: [...shared].sort(), own };
};

describe('the requirements of a test file', () => {
  it.each([
    ['/libs/x/dist/plain.test.js', [], false],
    ['/libs/x/dist/redis.int.test.js', ['redis'], false],
    ['/e2e/dist/scenarios/check.test.js', ['kafka', 'mongo'], false],
    ['/e2e/dist/faults/broker.test.js', [], true],
    ['/e2e/dist/infra/processes/own.test.js', [], true],
    ['/e2e/dist/absent.test.js', [], false],
  ])('%s: %j, its own: %s', (path, shared, own) => {
    expect(needs(path)).toEqual({ shared, own });
  });
});
