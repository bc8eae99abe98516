import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Instance } from '../instance/instance.js';

const HOUSE = fileURLToPath(new URL('../../../', import.meta.url));
const TOOLS = ['claude-code', 'codex', 'cursor', 'gemini', 'copilot'];

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

describe('countersign hook install', () => {
  let instance: Instance;
  let home: string;
  let environment: Record<string, string | undefined>;
  beforeAll(async () => {
    instance = await Instance.start();
    home = mkdtempSync(join(tmpdir(), 'countersign-home-'));
    const { apiKey, agentId, baseUrl } = instance.bootstrap;
    environment = {
      PATH: `${join(HOUSE, 'node_modules/.bin')}${delimiter}${process.env['PATH'] ?? ''}`,
      HOME: home,
      COUNTERSIGN_API_KEY: apiKey,
      COUNTERSIGN_AGENT_ID: agentId,
      COUNTERSIGN_BASE_URL: baseUrl,
    };
  }, 90_000);
  afterAll(async () => {
    await instance?.discard();
    rmSync(home, { recursive: true, force: true });
  });

  function run(command: string, input = ''): Promise<Ended> {
    return new Promise((resolve, reject) => {
      const child = spawn('sh', ['-c', command], { cwd: home, env: environment });
      let text = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      }
      child.stdin.on('error', () => undefined);
      child.on('error', reject).on('close', (code) => resolve({ code, text }));
      child.stdin.end(input);
    });
  }

  it.each(TOOLS)(
    'proves the hook of %s against a running service',
    async (tool) => {
      const { code, text } = await run(`countersign hook install ${tool} --yes`);
      expect([code, text]).toEqual([0, expect.stringContaining('ok     a denial blocks')]);
      expect(text).not.toContain('FAILED');
    },
    60_000,
  );

  it('writes commands that deny what the profile denies, and record the rest', async () => {
    const session = await instance.session();
    const { agentId } = instance.bootstrap;
    const patched = await instance.request('PATCH', `/v1/agents/${agentId}/profile`, {
      headers: session,
      body: { off_limits_actions: ['Forbidden'] },
    });
    expect(patched.status).toBe(200);
    const settings = JSON.parse(readFileSync(join(home, '.codex/hooks.json'), 'utf8')) as {
      readonly hooks: { readonly PreToolUse: readonly { readonly hooks: readonly { readonly command: string }[] }[] };
    };
    const { command } = settings.hooks.PreToolUse[0]!.hooks[0]!;
    const call = (name: string): string =>
      JSON.stringify({
        ...{ session_id: 's', turn_id: 't', model: 'm', hook_event_name: 'PreToolUse', tool_use_id: `call_${name}` },
        ...{ tool_name: name, tool_input: { command: 'ls' } },
      });
    expect(await run(command, call('Bash'))).toEqual({ code: 0, text: '' });
    const denied = await run(command, call('Forbidden'));
    expect([denied.code, JSON.parse(denied.text)]).toEqual([
      0,
      {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          permissionDecision: 'deny',
          permissionDecisionReason: expect.stringContaining('off limits') as string,
        },
      },
    ]);
    // The outcome belongs to the check of the call.
    const after = call('Bash').replace('PreToolUse', 'PostToolUse');
    expect(await run(command, after)).toEqual({ code: 0, text: '' });
    const events = await instance.request('GET', '/v1/events?type=action.outcome', { headers: session });
    expect((events.json as { readonly events: readonly { readonly outcome: string }[] }).events).toEqual([
      expect.objectContaining({ outcome: 'succeeded', agentId }),
    ]);
  }, 60_000);

  it('leaves nothing for the doctor to find', async () => {
    const { code, text } = await run('countersign hook doctor');
    expect([code, text.match(/: installed$/gmu)?.length, text.includes('problem')]).toEqual([0, TOOLS.length, false]);
  }, 60_000);
});
