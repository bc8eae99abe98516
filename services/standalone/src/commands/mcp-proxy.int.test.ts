import { spawnSync } from 'node:child_process';
import { ALLOW, ECHO, EVENT, PlayedService, PROGRAM, ProxyProcess } from './proxy-process.test-setup.js';

const call = (id: number, name: string, given: object = {}): object => ({
  id,
  method: 'tools/call',
  params: { name, arguments: given },
});

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const gone = async (pid: number): Promise<void> => {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
};

describe('countersign mcp-proxy, as a process', () => {
  let service: PlayedService;
  const running: ProxyProcess[] = [];
  beforeAll(async () => {
    service = new PlayedService();
    await service.start();
  });
  beforeEach(() => {
    service.answer = ALLOW;
    service.asked.length = 0;
  });
  afterEach(() => {
    for (const { child } of running.splice(0)) child.kill('SIGKILL');
  });
  afterAll(() => service.stop());

  /** Starts a proxy with its server; returns the server's process id, too. */
  const start = async (
    server = ECHO,
    environment = {},
  ): Promise<{ proxy: ProxyProcess; pid: number; started: object }> => {
    const proxy = new ProxyProcess(service.url, server, environment);
    running.push(proxy);
    const { params } = (await proxy.next()) as { params: { pid: number } };
    return { proxy, pid: params.pid, started: params };
  };

  it('passes its environment without the key to the server, and only messages to a client', async () => {
    const { proxy, started } = await start(`console.error('on stderr'); console.log('no message');${ECHO}`, {
      OWN: 'kept',
    });
    expect(started).toMatchObject({ key: null, own: 'kept' });
    proxy.send(call(1, 'read', { path: 'a' }));
    expect(await proxy.next()).toMatchObject({ id: 1, result: { content: [{ text: '{"path":"a"}' }] } });
    proxy.child.stdin?.end();
    expect(await proxy.ended).toBe(0);
    expect(proxy.stderr).toContain('on stderr\n');
    expect(proxy.stderr).toContain('countersign mcp-proxy: the server wrote what is no message: no message');
    expect(service.asked.map(({ path }) => path)).toEqual([
      '/v1/mcp/scan',
      '/v1/mcp/scan',
      '/v1/check',
      '/v1/mcp/scan',
      '/v1/mcp/log',
    ]);
    // A name that was never listed.
    expect(service.asked[1]?.body).toMatchObject({ text: 'read' });
    expect(service.asked[4]?.body).toMatchObject({ eventId: EVENT, outcome: 'succeeded' });
  });

  it('forwards no call if the service does not decide, says why, and continues once it does', async () => {
    const { proxy } = await start();
    const answers: [RegExp, () => ReturnType<typeof ALLOW>][] = [
      [/not the service's|not one of the service/u, () => [200, '<html>']],
      [/COUNTERSIGN_API_KEY/u, () => [401, { error: 'no valid API key' }]],
      [/COUNTERSIGN_AGENT_ID/u, () => [404, { error: 'no such agent, or it is inactive' }]],
      [/frozen/u, () => [403, { allowed: false, reason: 'the agent is frozen', severity: 'P1', code: 'agent_frozen' }]],
      [/late/u, () => [503, { allowed: false, reason: 'late', severity: 'P1', code: 'deadline_exceeded' }]],
    ];
    for (const [index, [message, answer]] of answers.entries()) {
      service.answer = (path, body) => (path === '/v1/check' ? answer() : ALLOW(path, body));
      proxy.send(call(index, 'read'));
      const said = { isError: true, content: [{ text: expect.stringMatching(message) }] };
      expect(await proxy.next()).toMatchObject({ id: index, result: said });
    }
    service.answer = ALLOW;
    proxy.send(call(9, 'read'));
    expect(await proxy.next()).toMatchObject({ id: 9, result: { content: [{ text: '{}' }] } });
  });

  it('forwards no call if the service is unavailable, or too slow', async () => {
    const slow = new ProxyProcess(service.url, ECHO, {}, ['--timeout-ms', '200']);
    const alone = new ProxyProcess('http://127.0.0.1:1', ECHO);
    running.push(slow, alone);
    service.answer = () => null;
    for (const [proxy, message] of [
      [slow, /did not decide.*attempts? timed out/u],
      [alone, /did not decide.*127\.0\.0\.1:1\b/u],
    ] as const) {
      proxy.send(call(1, 'read'));
      const said = { isError: true, content: [{ text: expect.stringMatching(message) }] };
      expect(await proxy.next()).toMatchObject({ id: 1, result: said });
      // The notifications that it sends at its start cannot be scanned.
      while (!proxy.stderr.includes('a notification of the server was not passed on')) {
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }
  });

  it.each([
    [[], {}, /command after --/u],
    [['--url', 'http://a.example', '--', 'b'], {}, /command after --/u],
    [['--url', 'file:///a'], {}, /http or https/u],
    [['--url', 'http://a.example', '--header', 'a: ${NOT_SET}'], {}, /NOT_SET is not set/u],
    [['--url', 'http://u:hidden@a.example:port'], {}, /http or https/u],
    [['--url', 'http://u:hidden@a.example', '--header', 'Authorization: a'], {}, /one of them/u],
    [['--', 'a'], {}, /COUNTERSIGN_API_KEY is not set/u],
    [['--', 'a'], { COUNTERSIGN_API_KEY: 'k' }, /COUNTERSIGN_AGENT_ID/u],
    [
      ['--', 'a'],
      { COUNTERSIGN_API_KEY: 'k', COUNTERSIGN_AGENT_ID: 'a', COUNTERSIGN_BASE_URL: 'b' },
      /b is no address/u,
    ],
    [
      ['--', 'a'],
      { COUNTERSIGN_API_KEY: 'k', COUNTERSIGN_AGENT_ID: 'a', COUNTERSIGN_BASE_URL: 'http://u:hidden@a.example' },
      /takes no user name/u,
    ],
  ])('%j with %j is refused with the missing setting', (args, env, message) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, 'mcp-proxy', ...args], {
      env,
      encoding: 'utf8',
    });
    expect([status, stdout, stderr]).toEqual([64, '', expect.stringMatching(message)]);
    expect(stderr).not.toContain('hidden');
  });

  it('forwards no result that cannot be scanned', async () => {
    const { proxy } = await start();
    const isResult = (text: unknown): boolean => String(text).includes('hidden');
    service.answer = (path, body) => (isResult(body['text']) ? [502, '<html>'] : ALLOW(path, body));
    proxy.send(call(1, 'read', { secret: 'hidden' }));
    const answer = await proxy.next();
    expect(answer).toMatchObject({ id: 1, result: { isError: true } });
    expect(JSON.stringify(answer)).toMatch(/was called.*withheld/u);
    expect(JSON.stringify(answer)).not.toContain('hidden');
  });

  it('ends with a server that dies, with its code, and says so', async () => {
    const { proxy } = await start();
    proxy.send(call(1, 'wait'));
    proxy.send({ id: 2, method: 'ping' });
    expect(await proxy.next()).toMatchObject({ id: 2, result: {} });
    while (!service.asked.some(({ path }) => path === '/v1/check'))
      await new Promise((resolve) => setTimeout(resolve, 5));
    proxy.send({ method: 'die', params: { code: 7 } });
    expect(await proxy.next()).toMatchObject({ id: 1, result: { isError: true } });
    expect(await proxy.ended).toBe(7);
    expect(proxy.stderr).toContain('the server ended (with 7)');
  });

  it.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends the server, also one that ignores it, and its child processes',
    async (signal) => {
      const deaf = `
      import { spawn } from 'node:child_process';
      process.on('SIGTERM', () => undefined);
      const { pid } = spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)'], { stdio: 'ignore' });
      console.log(JSON.stringify({ method: 'started', params: { pid, own: process.pid } }));
      setInterval(() => 0, 1000);
    `;
      const { proxy, pid, started } = await start(deaf);
      proxy.child.kill(signal);
      expect(await proxy.ended).toBe(0);
      await gone(pid);
      await gone((started as { own: number }).own);
    },
  );

  it('a disconnected client ends the server', async () => {
    const { proxy, pid } = await start();
    proxy.child.stdin?.end();
    proxy.child.stdout?.destroy();
    expect(await proxy.ended).toBe(0);
    await gone(pid);
  });

  it('a killed proxy leaves no server running', async () => {
    const { proxy, pid } = await start();
    proxy.child.kill('SIGKILL');
    await gone(pid);
  });
});
