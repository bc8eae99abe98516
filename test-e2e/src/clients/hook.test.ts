import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Instance } from '../instance/instance.js';
import { FaultServer, type Played } from './fault-server.js';

const HOUSE = fileURLToPath(new URL('../../../', import.meta.url));
const README = readFileSync(join(HOUSE, 'libs/cli/README.md'), 'utf8');

interface Settings {
  readonly env: Readonly<Record<string, string>>;
  readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly { readonly command: string }[] }[]>>;
}
interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The settings of Claude Code and the shell lines of the README. */
const settings = JSON.parse(
  /^```json\n([^]*?)^```$/mu.exec(README.slice(README.indexOf('## Hooks')))?.[1] ?? '{}',
) as Settings;
const lines = /^```sh\n([^]*?)^```$/mu.exec(README.slice(README.indexOf('### Any program')))?.[1] ?? '';

describe('countersign hook', () => {
  let instance: Instance;
  let folder: string;
  let environment: Record<string, string | undefined>;
  beforeAll(async () => {
    instance = await Instance.start();
    folder = mkdtempSync(join(tmpdir(), 'countersign-hook-'));
    const { apiKey, agentId, baseUrl } = instance.bootstrap;
    environment = {
      ...process.env,
      NODE_OPTIONS: '',
      // `countersign` as installed, and a private folder for temporary files.
      PATH: `${join(HOUSE, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
      TMPDIR: folder,
      ...settings.env,
      COUNTERSIGN_API_KEY: apiKey,
      COUNTERSIGN_AGENT_ID: agentId,
      COUNTERSIGN_BASE_URL: baseUrl,
    };
  }, 90_000);
  afterAll(async () => {
    await instance?.discard();
    rmSync(folder, { recursive: true, force: true });
  });

  /** `null`: an input that does not end. */
  function run(command: string, input: string | null, env: Record<string, string> = {}): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = spawn('sh', ['-c', command], { cwd: folder, env: { ...environment, ...env } });
      let [stdout, stderr] = ['', ''];
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => (stdout += chunk));
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => (stderr += chunk));
      child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
      child.stdin.on('error', () => undefined);
      if (input === null) child.stdin.write('{');
      else child.stdin.end(input);
    });
  }

  /** Runs the hook commands of Claude Code for an event of a tool call. */
  const runHooks = (
    event: string,
    toolUseId: string,
    env?: Record<string, string>,
    more: object = {},
  ): Promise<Ended> => {
    const input = {
      session_id: 'e2e',
      transcript_path: join(folder, 'e2e.jsonl'),
      cwd: folder,
      permission_mode: 'default',
      hook_event_name: event,
      tool_name: 'Bash',
      tool_input: { command: 'npm test', description: 'Runs the tests' },
      tool_use_id: toolUseId,
      ...more,
    };
    return run(settings.hooks[event]![0]!.hooks[0]!.command, JSON.stringify(input), env);
  };
  const denialOf = ({ stdout }: Ended): string => {
    const { hookSpecificOutput: said } = JSON.parse(stdout) as { hookSpecificOutput: Record<string, string> };
    expect([said['hookEventName'], said['permissionDecision']]).toEqual(['PreToolUse', 'deny']);
    return said['permissionDecisionReason'] ?? '';
  };
  const outcomes = async (): Promise<unknown[]> => {
    const headers = await instance.session();
    const { json } = await instance.request('GET', '/v1/events?type=action.outcome', { headers });
    return (json as { events: unknown[] }).events;
  };

  it('checks each tool call with the settings of the README, and reports its outcome', async () => {
    expect(Object.keys(settings.hooks)).toEqual(['PreToolUse', 'PostToolUse', 'PostToolUseFailure']);
    expect(await runHooks('PreToolUse', 'toolu_1')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await runHooks('PreToolUse', 'toolu_2')).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await runHooks('PostToolUse', 'toolu_1', {}, { tool_response: { stdout: '' } })).toMatchObject({ code: 0 });
    expect(await runHooks('PostToolUseFailure', 'toolu_2', {}, { error: 'exit 1' })).toMatchObject({ code: 0 });
    expect(await outcomes()).toMatchObject([{ outcome: 'failed' }, { outcome: 'succeeded' }]);
    expect(await runHooks('PostToolUse', 'toolu_1')).toMatchObject({ code: 1, stdout: '' });
  }, 60_000);

  it('denies forbidden calls, and gives the model the rule', async () => {
    const headers = await instance.session();
    const profile = `/v1/agents/${instance.bootstrap.agentId}/profile`;
    await instance.request('PATCH', profile, { headers, body: { off_limits_actions: ['Bash'] } });
    const denied = await runHooks('PreToolUse', 'toolu_3');
    expect([denied.code, denialOf(denied)]).toEqual([0, expect.stringContaining('off_limits_actions:Bash')]);
    await instance.request('PATCH', profile, { headers, body: { off_limits_actions: [] } });
  }, 60_000);

  it.each<[string, readonly Played[], Record<string, string>, string]>([
    ['no server listens', [], {}, 'Ask the user whether Countersign runs'],
    ['something else answers', [{ status: 200, body: '<!doctype html><p>Sign in</p>' }], {}, 'it is not JSON'],
    ['the answer is cut off', [{ status: 200, body: { allowed: true }, cutAt: 9 }], {}, 'did not decide'],
    ['the key is refused', [{ status: 401, body: { error: 'send a valid API key' } }], {}, 'COUNTERSIGN_API_KEY'],
    ['there is no key', [], { COUNTERSIGN_API_KEY: '' }, 'COUNTERSIGN_API_KEY is not set'],
  ])('denies if %s', async (_what, answers, env, message) => {
    const server = await FaultServer.start(answers);
    const ended = await runHooks('PreToolUse', 'toolu_4', { COUNTERSIGN_BASE_URL: server.address, ...env });
    if (answers.length > 0) await server.stop();
    expect([ended.code, denialOf(ended)]).toEqual([0, expect.stringContaining(message)]);
  });

  it('denies if there is no answer in time, and allows only with fail-open', async () => {
    const server = await FaultServer.start(['silent']);
    const env = { COUNTERSIGN_BASE_URL: server.address };
    const action = '{"type":"tool_use"}';
    const [closed, open] = await Promise.all([
      run('countersign hook check --timeout-ms 2000', action, env),
      run('countersign hook check --timeout-ms 2000 --fail-open', action, env),
    ]);
    await server.stop();
    expect([closed.code, closed.stderr]).toEqual([2, expect.stringContaining('timed out (')]);
    expect([open.code, open.stderr]).toEqual([0, expect.stringContaining('not checked')]);
  });

  it('denies if its input does not end, and if the answer uses another protocol', async () => {
    const upgrade = { connection: 'upgrade', upgrade: 'websocket' };
    const server = await FaultServer.start([{ status: 101, body: '', headers: upgrade }]);
    const env = { COUNTERSIGN_BASE_URL: server.address };
    const event = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: {} };
    const [endless, report, other, claude] = await Promise.all([
      run('countersign hook check --timeout-ms 300', null, env),
      run('countersign hook outcome --timeout-ms 300', null, env),
      run('countersign hook check', '{"type":"tool_use"}', env),
      run('countersign hook claude-code', JSON.stringify(event), env),
    ]);
    await server.stop();
    expect([endless.code, endless.stderr]).toEqual([2, expect.stringContaining('did not end within')]);
    expect([report.code, report.stderr]).toEqual([1, expect.stringContaining('the outcome is not recorded')]);
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('its status is 101')]);
    expect([claude.code, denialOf(claude)]).toEqual([0, expect.stringContaining('its status is 101')]);
  });

  it.each([
    [
      'ends without an answer, since nothing is left to wait for',
      'process.stdin.on = function () { return this; }; globalThis.setTimeout = () => 0;',
    ],
    [
      'cannot load a part of itself',
      `import { register } from 'node:module';
      const hooks = \`export const resolve = (name, context, next) =>
        name.startsWith('./hook-') ? Promise.reject(new Error('gone')) : next(name, context);\`;
      register('data:text/javascript,' + encodeURIComponent(hooks));`,
    ],
  ])('denies if it %s', async (_what, before) => {
    writeFileSync(join(folder, 'before.mjs'), before);
    const env = { NODE_OPTIONS: `--import=${join(folder, 'before.mjs')}` };
    expect(await run('countersign hook check', '{"type":"a"}', env)).toMatchObject({ code: 2, stdout: '' });
  });

  it.each([
    ['claude-code', '{"hook_event_name":'],
    ['claude-code', ''],
    ['check', 'rm -rf /'],
    ['claud-code', '{}'],
    ['check --no-such-option', '{"type":"a"}'],
    ['check --data-dir nowhere', '{"type":"a"}'],
  ])('never ends with a code that allows an action (%s, %#)', async (form, input) => {
    const unset = { COUNTERSIGN_API_KEY: '' };
    const { code, stdout, stderr } = await run(`countersign hook ${form}`, input, unset);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).not.toBe('');
  });

  it('is one line in a shell script, as in the README', async () => {
    const ended = await run(lines, '');
    expect(ended).toEqual({ code: 0, stdout: 'deploying\n', stderr: '' });
    expect(await outcomes()).toMatchObject([{ outcome: 'succeeded' }, {}, {}]);
  }, 60_000);
});
