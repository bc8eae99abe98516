import { chmodSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { CountersignError, type Action, type CallOptions, type CheckResult } from '@countersign/client';
import { answerClaudeCode, type Asker } from './claude-code.js';
import { answerCheck, answerOutcome } from './command.js';
import { callKey, defaultFolder, PendingChecks } from './pending-checks.js';
import { readInput } from './read-input.js';
import { actionOf, readToolEvent } from './tool-event.js';
import { denialMessage } from '@countersign/mcp-proxy/denial-messages';

const EVENT = '01a20038-91aa-71c6-928d-4e46bb344f5b';
const BASH = {
  session_id: 'abc123',
  transcript_path: '/srv/transcripts/abc123.jsonl',
  cwd: '/srv/project',
  permission_mode: 'default',
  hook_event_name: 'PreToolUse',
  tool_name: 'Bash',
  tool_input: { command: 'npm test', description: 'Runs the tests' },
  tool_use_id: 'toolu_01ABC123',
};
const AFTER = { ...BASH, hook_event_name: 'PostToolUse', tool_response: { stdout: 'ok', interrupted: false } };

describe('a hook', () => {
  let folder: string;
  let asked: [Action, CallOptions | undefined][];
  let outcomes: unknown[][];
  let says: CheckResult | Error;
  const asker = async (): Promise<Asker> => ({
    agentId: 'agent',
    baseUrl: 'http://127.0.0.1:8080',
    client: {
      check: async (action, options) => {
        asked.push([action, options]);
        if (says instanceof Error) throw says;
        return says;
      },
      reportOutcome: async (...report) => {
        outcomes.push(report);
        if (says instanceof Error) throw says;
      },
    },
  });
  const pending = (): PendingChecks => new PendingChecks(folder);
  const claude = (input: unknown) =>
    answerClaudeCode(typeof input === 'string' ? input : JSON.stringify(input), asker, pending());
  beforeEach(() => {
    folder = join(mkdtempSync(join(tmpdir(), 'countersign-hook-test-')), 'pending');
    asked = [];
    outcomes = [];
    says = { allowed: true, eventId: EVENT };
  });
  afterEach(() => rmSync(join(folder, '..'), { recursive: true, force: true }));

  it('checks the tool, its arguments and the address in them, identically each time', () => {
    const fetch = { ...BASH, tool_name: 'WebFetch', tool_input: { url: 'https://a.example/', prompt: 'read' } };
    const action = actionOf(readToolEvent(JSON.stringify(fetch)));
    expect(action).toEqual({
      actionType: 'tool_use',
      toolName: 'WebFetch',
      url: 'https://a.example/',
      payload: fetch.tool_input,
      metadata: { source: 'claude-code', session: 'abc123', toolCallId: 'toolu_01ABC123', cwd: BASH.cwd },
    });
    expect(actionOf(readToolEvent(JSON.stringify({ ...fetch, permission_mode: 'plan' })))).toEqual(action);
  });

  it('answers an allowed call with nothing, so that the user’s permissions still decide', async () => {
    expect(await claude(BASH)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(asked[0]?.[1]).toEqual({ idempotencyKey: `hook-${callKey('abc123', 'toolu_01ABC123')}` });
  });

  it.each([
    [
      { allowed: false, reason: 'off_limits_actions forbids it.', rule: 'off_limits_actions:Bash', eventId: EVENT },
      EVENT,
    ],
    [{ allowed: false, reason: 'frozen', violations: ['agent_frozen' as const] }, 'a person ends the freeze'],
    [{ allowed: false, reason: 'no key', violations: ['unauthorized' as const] }, 'COUNTERSIGN_API_KEY'],
    [
      { allowed: false, reason: 'no decision was had', error: new CountersignError('unreachable', 'no connection') },
      'http://127.0.0.1:8080',
    ],
    [new TypeError('apiKey: an API key is needed'), 'was not asked'],
  ])('denies in the documented form, with the reason and what to do (%#)', async (answer, word) => {
    says = answer;
    const { code, stdout, stderr } = await claude(BASH);
    const output = JSON.parse(stdout) as { hookSpecificOutput: Record<string, string> };
    expect([code, stderr, Object.keys(output)]).toEqual([0, '', ['hookSpecificOutput']]);
    expect(output.hookSpecificOutput).toEqual({
      hookEventName: 'PreToolUse',
      permissionDecision: 'deny',
      permissionDecisionReason: expect.stringContaining(word),
    });
  });

  it.each(['', '{', '[]', '"x"', '{}', { ...BASH, hook_event_name: 'Stop' }, { ...BASH, tool_name: 7 }])(
    'denies invalid input by exit code 2 (%#)',
    async (input) => {
      const { code, stdout, stderr } = await claude(input);
      expect([code, stdout, asked]).toEqual([2, '', []]);
      expect(stderr).toMatch(/^Countersign was not asked, so this is not allowed: .+\n$/);
    },
  );

  it('passes the event of the check to the process that reports the outcome, once', async () => {
    await claude(BASH);
    expect(await claude(AFTER)).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(outcomes).toEqual([[{ eventId: EVENT, outcome: 'succeeded' }, { agentId: 'agent' }]]);
    expect(await claude(AFTER)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no check of this tool call'),
    });
    await claude({ ...BASH, tool_use_id: 'toolu_2' });
    const failed = { ...AFTER, hook_event_name: 'PostToolUseFailure', tool_use_id: 'toolu_2', error: 'exit 1' };
    await claude({ ...failed, is_interrupt: true });
    expect(outcomes[1]?.[0]).toEqual({ eventId: EVENT, outcome: 'failed', detail: 'interrupted by the user' });
  });

  it('remembers the check of a denied call, in case it is made anyway', async () => {
    says = { allowed: false, reason: 'no', eventId: EVENT };
    await claude(BASH);
    await claude(AFTER);
    expect(outcomes).toHaveLength(1);
  });

  it('allows a call whose check cannot be remembered, and says so', async () => {
    const other = mkdtempSync(join(tmpdir(), 'countersign-hook-test-'));
    symlinkSync(other, folder);
    const { code, stdout } = await claude(BASH);
    expect([code, readdirSync(other)]).toEqual([0, []]);
    expect((JSON.parse(stdout) as { systemMessage: string }).systemMessage).toContain('is not a folder of this user');
    rmSync(other, { recursive: true });
  });

  it('trusts no folder that others may write, and drops files that are a day old', () => {
    const checks = pending();
    const check = { eventId: EVENT, agentId: 'agent' };
    checks.remember('old', check);
    const before = new Date(Date.now() - 25 * 3600 * 1000);
    for (const name of ['old', 'swept']) utimesSync(join(folder, name), before, before);
    checks.remember('new', check);
    expect(readdirSync(folder).sort()).toEqual(['new', 'swept']);
    writeFileSync(join(folder, 'broken'), '{');
    expect([checks.take('broken'), checks.take('new'), checks.take('new')]).toEqual([null, check, null]);
    chmodSync(folder, 0o777);
    expect(() => checks.remember('new', check)).toThrow('is not a folder of this user alone');
  });

  it('reports that a call allowed by fail-open was not decided', async () => {
    says = { allowed: true, failedOpen: true, reason: 'no decision was had: no connection' };
    const { stdout } = await claude({ ...BASH, tool_use_id: undefined });
    expect((JSON.parse(stdout) as { systemMessage: string }).systemMessage).toContain('was not checked');
    expect(await answerCheck('{"type":"a"}', asker)).toMatchObject({
      code: 0,
      stderr: expect.stringContaining('not checked'),
    });
  });

  it.each([
    ['{"type":"tool_use","tool_name":"deploy"}', { actionType: 'tool_use', tool_name: 'deploy' }],
    ['{"action":{"actionType":"pay","estimatedCost":3}}', { actionType: 'pay', estimatedCost: 3 }],
  ])('of any program takes an action as the service or the clients take it (%#)', async (text, action) => {
    const { code, stdout } = await answerCheck(text, asker);
    expect([code, JSON.parse(stdout), asked[0]?.[0]]).toEqual([0, { allowed: true, eventId: EVENT }, action]);
  });

  it('of any program ignores a member named action beside a type, and checks for the agent of a body', async () => {
    const inner = { type: 'read', url: 'https://a.example/' };
    for (const outer of [{ type: 'pay' }, { actionType: 'pay' }]) {
      await answerCheck(JSON.stringify({ ...outer, agentId: 'other', action: inner }), asker);
    }
    await answerCheck(JSON.stringify({ agentId: 'other', action: inner }), asker, true);
    await answerCheck(JSON.stringify({ agentId: 'AGENT', action: inner }), asker);
    const outer = { actionType: 'pay', agentId: 'other', action: inner };
    const read = { actionType: 'read', url: 'https://a.example/' };
    expect(asked).toEqual([
      [outer, {}],
      [outer, {}],
      [read, { agentId: 'other' }],
      [read, { agentId: 'AGENT' }],
    ]);
    const another = await answerCheck(JSON.stringify({ agentId: 'other', action: inner }), asker);
    expect([another.code, another.stderr, asked.length]).toEqual([2, expect.stringContaining('--any-agent'), 4]);
    const invalidAgent = JSON.stringify({ agentId: 7, action: inner });
    expect(await answerCheck(invalidAgent, asker)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('agentId'),
    });
  });

  it('keeps its checks in a folder named by the number of its user, who may have no name', () => {
    const uid = jest.spyOn(process as { getuid: () => number }, 'getuid').mockReturnValue(54321);
    expect(defaultFolder()).toBe(join(tmpdir(), 'countersign-hook-54321'));
    uid.mockRestore();
  });

  it.each(['', '{}', '{"type":7}', '[]', '{"action":[]}'])(
    'of any program denies input that is not an action (%#)',
    async (text) => {
      expect(await answerCheck(text, asker)).toMatchObject({ code: 2, stdout: '' });
    },
  );

  it('of any program denies with 2, and prints the reason on standard error', async () => {
    says = { allowed: false, reason: 'no', rule: 'r', eventId: EVENT };
    const { code, stdout, stderr } = await answerCheck('{"type":"a"}', asker);
    expect([code, JSON.parse(stdout)]).toEqual([2, says]);
    expect(stderr).toBe(`${denialMessage(says, '')}\n`);
  });

  it('of any program reports an outcome, and says when it could not', async () => {
    expect(await answerOutcome(JSON.stringify({ eventId: EVENT, outcome: 'skipped' }), asker)).toMatchObject({
      code: 0,
    });
    for (const text of ['{}', '{"eventId":"x","outcome":"done"}']) {
      expect(await answerOutcome(text, asker)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('not recorded'),
      });
    }
    says = new CountersignError('unreachable', 'no connection');
    expect(await answerOutcome(JSON.stringify({ eventId: EVENT, outcome: 'failed' }), asker)).toMatchObject({
      code: 1,
    });
    expect(outcomes).toHaveLength(2);
  });

  it('reads its whole input, and does not wait for an end that never comes', async () => {
    const whole = new PassThrough();
    whole.end(Buffer.from('{"ä":1}'));
    expect(await readInput(whole, 5000)).toBe('{"ä":1}');
    const open = new PassThrough();
    open.write('{');
    await expect(readInput(open, 20)).rejects.toThrow('did not end within 20 ms');
    const long = new PassThrough();
    const refused = expect(readInput(long, 5000)).rejects.toThrow('more than');
    long.write(Buffer.alloc(9 * 1024 * 1024));
    await refused;
  });
});
