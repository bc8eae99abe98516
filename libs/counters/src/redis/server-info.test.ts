import { serverProblem, serverRun } from './server-info.js';

const info = (change: Readonly<Record<string, string>> = {}): string => {
  const fields = {
    redis_version: '7.0.15',
    redis_mode: 'standalone',
    run_id: 'abc',
    loading: '0',
    role: 'master',
    maxmemory: '0',
    maxmemory_policy: 'noeviction',
    ...change,
  };
  const lines = Object.entries(fields).map(([name, value]) => `${name}:${value}\r\n`);
  return `# Server\r\n${lines.join('')}`;
};

describe('a server', () => {
  it('may hold the counters when it is a single primary without eviction', () => {
    expect(serverProblem(info())).toBeNull();
    expect(serverProblem(info({ maxmemory: '1000' }))).toBeNull();
    expect(serverProblem(info({ maxmemory_policy: 'allkeys-lru' }))).toBeNull();
    expect(serverRun(info())).toBe('abc');
  });

  it.each([
    ['too old', { redis_version: '6.2.1' }],
    ['cluster', { redis_mode: 'cluster' }],
    ['Sentinel', { redis_mode: 'sentinel', role: '' }],
    ['loading', { loading: '1' }],
    ['replica', { role: 'slave' }],
    ['noeviction', { maxmemory: '1000', maxmemory_policy: 'volatile-ttl' }],
    ['run id', { run_id: '' }],
  ])('is refused with a reason: %s', (word, change) => {
    expect(serverProblem(info(change))).toContain(word);
  });
});
