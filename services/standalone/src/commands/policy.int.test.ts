import { execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command } from 'commander';
import type { BehaviorProfile, DryRunAnswer } from '@countersign/contracts';
import { emptyProfile, profileWarnings } from '@countersign/policy-engine';
import { CommandFailed } from '@countersign/cli/exit-codes';
import { register } from '@countersign/cli/commands/policy';

const PROGRAM = fileURLToPath(new URL('../../bin/countersign.js', import.meta.url));
const PACKAGES = fileURLToPath(new URL('../../../policy/safety-packages/', import.meta.url));
const SAMPLE = fileURLToPath(new URL('../../sample/airline-policy.yaml', import.meta.url));
const YAML = `
profile:
  off_limits_actions: [wire]
  spending_limit: 10
cases:
  - title: wires nothing
    action: { type: wire }
    expect: { allowed: false, rule: 'off_limits_actions:wire' }
  - title: spends ten dollars a day
    steps:
      - action: { type: tool_use, estimatedCost: 10 }
        at: '2026-03-01T23:59:59Z'
      - action: { type: tool_use, estimatedCost: 10 }
        at: 1
        expect: allowed
`;

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command in this process; one test checks the exit codes of the program itself. */
async function run(...args: readonly string[]): Promise<Ended> {
  const said: string[] = [];
  const stdout = jest.spyOn(process.stdout, 'write').mockImplementation((text) => said.push(String(text)) > 0);
  const program = new Command().exitOverride();
  register(program);
  try {
    await program.parseAsync(['policy', ...args], { from: 'user' });
    return { code: Number(process.exitCode ?? 0), stdout: said.join(''), stderr: '' };
  } catch (error) {
    if (!(error instanceof CommandFailed)) throw error;
    return { code: error.exitCode, stdout: said.join(''), stderr: `${error.message}\n` };
  } finally {
    process.exitCode = undefined;
    stdout.mockRestore();
  }
}

function runProgram(...args: readonly string[]): Promise<Ended> {
  return new Promise((resolve) => {
    const child = execFile(process.execPath, [PROGRAM, 'policy', ...args], (_error, stdout, stderr) => {
      resolve({ code: child.exitCode ?? -1, stdout, stderr });
    });
  });
}

describe('countersign policy', () => {
  let folder: string;
  let good: string;
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    return file;
  };
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-policy-'));
    good = write('good.yaml', YAML);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('test passes correct cases, also those of the sample and of every safety package', async () => {
    const packages = readdirSync(PACKAGES).filter((file) => file.endsWith('.json'));
    expect(packages.length).toBeGreaterThanOrEqual(6);
    const ended = await run('test', good, SAMPLE, ...packages.map((file) => join(PACKAGES, file)));
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toMatch(new RegExp(`^\\d+ cases in ${packages.length + 2} files: \\d+ passed, 0 failed\\n$`));
  }, 60_000);

  it('test takes the policies of a folder', async () => {
    const packages = readdirSync(PACKAGES).filter((file) => file.endsWith('.json')).length;
    expect((await run('test', PACKAGES)).stdout).toContain(` in ${packages} files: `);
    const empty = mkdtempSync(join(folder, 'empty-'));
    expect(await run('test', good, empty)).toEqual({
      code: 64,
      stdout: '',
      stderr: `${empty}: the folder has no .yaml, .yml or .json file\n`,
    });
  }, 60_000);

  it('test names each failing case, with the expected and the actual result', async () => {
    const bad = write('bad.yaml', YAML.replace('at: 1', 'at: 0').replace("'off_limits_actions:wire'", 'another'));
    const ended = await runProgram('test', bad, good);
    expect(ended).toEqual({
      code: 1,
      stdout: [
        `FAIL ${bad}: wires nothing: expected denied, rule another, came denied, violation_type off_limits_action, rule off_limits_actions:wire`,
        `FAIL ${bad}: spends ten dollars a day (step 2): expected allowed, came denied, violation_type spending_limit_exceeded, rule spending_limit:10`,
        '4 cases in 2 files: 2 passed, 2 failed',
        '',
      ].join('\n'),
      stderr: '',
    });
    const json = await run('test', '--json', bad);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({
      cases: 2,
      failed: 2,
      files: [{ file: bad, cases: 2, failures: [{ title: 'wires nothing' }, { step: 2, came: { allowed: false } }] }],
    });
  }, 60_000);

  it('test warns of entries without effect', async () => {
    const vain = write(
      'vain.yaml',
      YAML.replace('spending_limit: 10', 'spending_limit: 10\n  blocked_apis: [/srv/data]'),
    );
    const ended = await run('test', vain, good);
    const [warned, sum] = ended.stdout.split('\n');
    expect([ended.code, warned]).toEqual([
      0,
      expect.stringContaining(`WARN ${vain}: blocked_apis[0] "/srv/data" is a path`),
    ]);
    expect(sum).toBe('4 cases in 2 files: 4 passed, 0 failed');
  }, 60_000);

  it.each([
    ['is missing', 'none.yaml', null, /^cannot read .*none\.yaml \(ENOENT\)\n$/],
    ['is not YAML', 'broken.yaml', 'profile: {', /broken\.yaml: .*at line 1/],
    ['has a key twice', 'twice.yaml', 'profile: {}\nprofile: {}\n', /twice\.yaml: Map keys must be unique/],
    ['has a key twice in JSON', 'twice.json', '{"profile":{},"profile":{}}', /twice\.json: /],
    ['has no cases', 'empty.json', '{"profile":{}}', /empty\.json: cases must be a list with at least one\n$/],
    ['has an unknown rule', 'rule.yaml', 'profile: {no_rule: 1}', /rule\.yaml: profile: unknown field "no_rule"/],
  ])(
    'test ends with 64 for a file that %s',
    async (_what, name, text, message) => {
      const file = text === null ? join(folder, name) : write(name, text);
      const ended = await run('test', good, file);
      expect(ended).toMatchObject({ code: 64, stdout: '' });
      expect(ended.stderr).toMatch(message);
    },
    60_000,
  );

  it('ends the program with 64 if no file is named', async () => {
    expect(await runProgram('test')).toMatchObject({ code: 64, stdout: '' });
  }, 60_000);

  describe('dry-run', () => {
    let server: Server;
    let asked: unknown[];
    const eventId = '0198a1b2-0000-7000-8000-000000000001';
    const answer: DryRunAnswer = {
      agentId: 'a',
      range: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z' },
      profileVersion: 3,
      countedBefore: { since: '2026-02-28T00:00:00.000Z', checks: 7, complete: true },
      checks: 9,
      evaluated: 8,
      unchanged: 7,
      notEvaluated: { count: 1, erased: 0, payloadNotKept: 1, frozen: 0, plan: 0 },
      flips: { toDenied: 1, toAllowed: 0 },
      freezes: 0,
      byRule: [
        {
          violation_type: 'off_limits_action',
          rule: 'off_limits_actions:wire',
          toDenied: 1,
          toAllowed: 0,
          examples: [
            {
              eventId,
              occurredAt: '2026-03-01T12:00:00.000Z',
              action: { type: 'wire', url: null, tool_name: null, dataScope: null, estimatedCost: 1 },
              before: { allowed: true, violation_type: null, rule: null },
              after: { allowed: false, violation_type: 'off_limits_action', rule: 'off_limits_actions:wire' },
            },
          ],
        },
      ],
      truncatedAt: null,
    };
    beforeAll(async () => {
      server = createServer((request, response) => {
        let text = '';
        request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        request.on('end', () => {
          asked.push([request.method, request.url, request.headers.authorization, JSON.parse(text)]);
          const login = request.url === '/v1/auth/login';
          response.writeHead(200).end(JSON.stringify(login ? { token: 'session' } : answer));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    beforeEach(() => (asked = []));
    afterAll(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const dryRun = (...args: readonly string[]): Promise<Ended> => {
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const who = ['--email', 'a@b.example', '--password', 'p', '--agent', 'agent-1', '--base-url', baseUrl];
      return run('dry-run', good, ...who, ...args);
    };

    it('asks for the range and prints what would flip', async () => {
      const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
      const ended = await dryRun('--from', range.from, '--to', range.to);
      expect(asked[1]).toEqual([
        'POST',
        '/v1/agents/agent-1/profile/dry-run',
        'Bearer session',
        { profile: { off_limits_actions: ['wire'], spending_limit: 10 }, ...range },
      ]);
      expect(ended).toMatchObject({ code: 0, stderr: '' });
      expect(ended.stdout).toMatch(/would be denied +1\n/);
      expect(ended.stdout).toMatch(/payload not kept \(store_payload\) +1\n/);
      expect(ended.stdout).toContain(`${' '.repeat(8)}1           0  off_limits_actions:wire\n`);
      expect(ended.stdout).toContain(`e.g. 2026-03-01T12:00:00.000Z ${eventId} type "wire", estimatedCost 1\n`);
    }, 60_000);

    it('ends with 1 for flips if requested, and prints the answer as JSON', async () => {
      const ended = await dryRun('--fail-on-flips', '--json', '--to', '2026-03-02T00:00:00Z');
      expect(ended.code).toBe(1);
      expect(JSON.parse(ended.stdout)).toEqual(answer);
      expect(asked[1]).toMatchObject({ 3: { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00Z' } });
      const silent = await dryRun('--base-url', 'http://127.0.0.1:1', '--fail-on-flips');
      expect([silent.code, silent.stdout]).toEqual([2, '']);
      expect((await dryRun('--base-url', 'http://127.0.0.1:1')).code).toBe(1);
    }, 60_000);

    it('takes the password from a file, and warns if it is an argument', async () => {
      const warned = jest.spyOn(process.stderr, 'write').mockImplementation(() => true);
      const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const file = join(folder, 'password');
      writeFileSync(file, 'from a file\n');
      const who = ['--email', 'a@b.example', '--agent', 'agent-1', '--base-url', baseUrl];
      await run('dry-run', good, ...who, '--password-file', file);
      expect([(asked[0] as unknown[])[3], warned.mock.calls]).toEqual([
        { email: 'a@b.example', password: 'from a file' },
        [],
      ]);
      await dryRun();
      expect(warned.mock.calls.join('')).toMatch(/--password shows in the list of processes/);
      warned.mockRestore();
    }, 60_000);

    it('refuses a package, which is merged into a profile and does not replace it', async () => {
      const ended = await run('dry-run', join(PACKAGES, 'payments.json'));
      expect(ended).toMatchObject({ code: 64, stderr: expect.stringContaining('takes a profile') });
    }, 60_000);
  });

  describe('put in force', () => {
    let server: Server;
    let profile: BehaviorProfile;
    let status: number;
    const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    /** The routes of an instance for one agent: a profile that was put is read next. */
    beforeAll(async () => {
      server = createServer((request, response) => {
        let text = '';
        request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
        request.on('end', () => {
          const known =
            request.headers['x-service-key'] === 'the key' && request.url === '/v1/mcp/agents/agent-1/profile';
          if (!known) return response.writeHead(401).end('{"error":"no"}');
          if (request.method === 'PUT' && status === 200) {
            const put = JSON.parse(text) as BehaviorProfile;
            profile = { ...profile, ...put, version: put.version + 1 };
          }
          const warnings = profileWarnings(profile);
          const answer = request.method === 'PUT' && warnings.length > 0 ? { ...profile, warnings } : profile;
          return response.writeHead(request.method === 'PUT' ? status : 200).end(JSON.stringify(answer));
        });
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    });
    beforeEach(() => {
      status = 200;
      profile = { ...emptyProfile('agent-1'), spending_limit: 3, blocked_apis: ['a.example'] };
      writeFileSync(join(folder, 'key'), 'the key\n');
    });
    afterAll(async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    });
    const policy = (name: string, file: string): Promise<Ended> =>
      run(name, file, '--agent', 'agent-1', '--base-url', base(), '--api-key-file', join(folder, 'key'));

    it('shows the differences, puts the whole file in force, and shows none afterwards', async () => {
      const before = await policy('diff', good);
      expect([before.code, before.stdout.split('\n').filter(Boolean).sort()]).toEqual([
        1,
        ['+ off_limits_actions: "wire"', '+ spending_limit: 10', '- blocked_apis: "a.example"', '- spending_limit: 3'],
      ]);
      expect(await policy('apply', good)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('agent agent-1: version 1 -> 2\n'),
      });
      expect(profile).toMatchObject({ off_limits_actions: ['wire'], spending_limit: 10, blocked_apis: [], version: 2 });
      expect(await policy('diff', good)).toMatchObject({ code: 0, stdout: '' });
      expect(await policy('apply', good)).toMatchObject({
        code: 0,
        stdout: expect.stringContaining('in force already'),
      });
    }, 60_000);

    it('warns of entries without effect in the profile in force, also if nothing changes', async () => {
      const vain = write('in-vain.yaml', 'profile: { allowed_apis: [/srv/data] }\ncases: []\n');
      const warning = expect.stringMatching(/^WARN .*in-vain\.yaml: allowed_apis\[0\] "\/srv\/data" is a path/m);
      for (const version of [2, 2]) {
        expect(await policy('apply', vain)).toMatchObject({ code: 0, stdout: warning });
        expect(profile.version).toBe(version);
      }
    }, 60_000);

    it('ends diff with 2 if nothing could be compared: 1 is for differences', async () => {
      const refused = await run(
        'diff',
        good,
        '--agent',
        'agent-2',
        '--base-url',
        base(),
        '--api-key-file',
        join(folder, 'key'),
      );
      expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('401')]);
      const silent = await run(
        'diff',
        good,
        '--agent',
        'agent-1',
        '--base-url',
        'http://127.0.0.1:1',
        '--api-key-file',
        join(folder, 'key'),
      );
      expect([silent.code, silent.stderr]).toEqual([2, expect.stringContaining('no answer')]);
      const unread = await run(
        'diff',
        good,
        '--agent',
        'agent-1',
        '--base-url',
        base(),
        '--api-key-file',
        join(folder, 'none'),
      );
      expect(unread.code).toBe(64);
    }, 60_000);

    it('reports a concurrent change of the profile', async () => {
      status = 409;
      const ended = await policy('apply', good);
      expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(/409 .*nothing was changed/)]);
    }, 60_000);

    it('writes the profile in force into a file, and keeps its cases', async () => {
      const fresh = join(folder, 'fresh.yaml');
      expect((await policy('pull', fresh)).code).toBe(0);
      expect(await policy('diff', fresh)).toMatchObject({ code: 0, stdout: '' });
      const kept = join(folder, 'kept.yaml');
      writeFileSync(kept, `# ours\n${YAML}`);
      await policy('pull', kept);
      expect(readFileSync(kept, 'utf8')).toMatch(
        /^# ours\n\nprofile:\n {2}blocked_apis:[^]*\ncases:\n {2}- title: wires nothing/,
      );
      expect(await policy('diff', kept)).toMatchObject({ code: 0, stdout: '' });
    }, 60_000);
  });
});
