import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { fillTemplate, HOOK_DENIALS, HOOK_TOOLS } from '@countersign/contracts';
import { CommandFailed } from '../exit-codes.js';
import { diagnose } from './doctor.js';
import { headersFileOf, installHook } from './install.js';
import { runHook } from './run-hook.js';
import { changeLines, jsonLike, withHooks } from './settings-file.js';
import { CANARY, SETUP_TOOLS, TOOL_SETUPS } from './tool-setups.js';
import type { Json, SetupTool } from './tool-setups.js';

const PERMISSIONS: Readonly<Record<SetupTool, string>> = {
  'claude-code': '{}',
  codex: '',
  cursor: '{"permission":"allow"}',
  gemini: '{}',
  copilot: '{}',
};

/** Variables by which the tools find their folders. */
const VARIABLES = ['HOME', 'CLAUDE_CONFIG_DIR', 'CODEX_HOME', 'COPILOT_HOME', 'XDG_CONFIG_HOME'] as const;

describe('hooks of coding agents', () => {
  let folder: string;
  let server: Server;
  let baseUrl: string;
  let mode: 'answers' | 'fails' | 'hangs' = 'answers';
  const asked: { readonly path: string; readonly key: unknown; readonly agent: unknown }[] = [];
  const before: Partial<Record<string, string | undefined>> = {};

  beforeAll(async () => {
    server = createServer((request, response) => {
      let text = '';
      request.on('data', (chunk: Buffer) => (text += chunk.toString('utf8')));
      request.on('end', () => {
        const { 'x-service-key': key, 'x-countersign-agent': agent } = request.headers;
        asked.push({ path: request.url!, key, agent });
        if (mode === 'hangs') return;
        if (mode === 'fails') return void response.writeHead(500).end('{"error":"internal error"}');
        const tool = request.url!.split('/').at(-1) as SetupTool;
        const isCanary = text.includes('CountersignCanary');
        response.end(isCanary ? JSON.stringify(fillTemplate(HOOK_DENIALS[tool], 'no')) : PERMISSIONS[tool]);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-hook-setup-'));
    for (const name of VARIABLES) {
      before[name] = process.env[name];
      delete process.env[name];
    }
    process.env['HOME'] = folder;
    mode = 'answers';
    asked.length = 0;
  });
  afterEach(() => {
    for (const name of VARIABLES) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
    rmSync(folder, { recursive: true, force: true });
  });

  const install = async (tool: SetupTool, options: { readonly yes?: boolean; readonly dryRun?: boolean } = {}) => {
    const output = new PassThrough();
    const settings = { apiKey: 'secret-key', agentId: 'agent-1', baseUrl: `${baseUrl}/` };
    const whole = { scope: 'user', cwd: folder, yes: true, dryRun: false, ...options } as const;
    const input = new PassThrough() as unknown as NodeJS.ReadStream;
    const failure = await installHook(tool, settings, whole, { input, output }).catch((error: unknown) => error);
    return { failure, said: String((output.read() as Buffer | null) ?? '') };
  };
  const fileOf = (tool: SetupTool): string => TOOL_SETUPS[tool].file('user', folder);
  const entryOf = (tool: SetupTool): Json =>
    (JSON.parse(readFileSync(fileOf(tool), 'utf8')) as { hooks: Record<string, Json[]> }).hooks[
      TOOL_SETUPS[tool].event
    ]!.at(-1)!;

  it('are set up for every tool that has a route', () => {
    expect(SETUP_TOOLS).toEqual(HOOK_TOOLS);
  });

  describe.each(SETUP_TOOLS)('of %s', (tool) => {
    it('are written, proven, and reach the service with key and agent', async () => {
      const { failure, said } = await install(tool);
      expect([failure, said]).toEqual([undefined, expect.stringContaining('ok     a denial blocks')]);
      expect(said).not.toContain('FAILED');
      expect(asked.slice(0, 2)).toEqual([
        { path: `/v1/hooks/${tool}`, key: 'secret-key', agent: 'agent-1' },
        { path: `/v1/hooks/${tool}`, key: 'secret-key', agent: 'agent-1' },
      ]);
      // The settings may be committed: they never hold the key.
      expect(readFileSync(fileOf(tool), 'utf8')).not.toContain('secret-key');
      expect(readFileSync(fileOf(tool), 'utf8')).not.toContain(folder);
      if (tool !== 'claude-code') expect(statSync(headersFileOf(tool)).mode & 0o777).toBe(0o600);
    });

    it.each(['answers', 'fails', 'hangs', 'closed'] as const)('deny a canary while the service %s', async (state) => {
      await install(tool);
      const text = JSON.stringify(entryOf(tool))
        .replaceAll('--max-time 20', '--max-time 1')
        .replaceAll('"timeout":30,"headers"', '"timeout":1,"headers"');
      const entry = JSON.parse(state === 'closed' ? text.replaceAll(baseUrl, 'http://127.0.0.1:1') : text) as Json;
      if (state !== 'closed') mode = state;
      const run = await runHook(entry, CANARY, { COUNTERSIGN_API_KEY: 'secret-key' });
      expect([run, TOOL_SETUPS[tool].blocks(run)]).toEqual([run, true]);
    });

    it('let a call run that the service allows', async () => {
      await install(tool);
      const run = await runHook(entryOf(tool), TOOL_SETUPS[tool].call, { COUNTERSIGN_API_KEY: 'secret-key' });
      expect([run.code, TOOL_SETUPS[tool].blocks(run)]).toEqual([0, false]);
    });

    it('are written once, with a copy of the settings before, and keep every other hook', async () => {
      const file = fileOf(tool);
      mkdirSync(join(file, '..'), { recursive: true });
      const own = { hooks: { [TOOL_SETUPS[tool].event]: [{ command: 'mine' }], other: [{ command: 'theirs' }] }, a: 1 };
      writeFileSync(file, JSON.stringify(own));
      chmodSync(file, 0o640);
      await install(tool);
      const once = readFileSync(file, 'utf8');
      const { said } = await install(tool);
      expect([readFileSync(file, 'utf8'), said]).toEqual([once, expect.stringContaining('nothing changes')]);
      const merged = JSON.parse(once) as typeof own & { readonly hooks: Record<string, unknown[]> };
      expect(merged).toMatchObject({ a: 1, hooks: { other: [{ command: 'theirs' }] } });
      expect(merged.hooks[TOOL_SETUPS[tool].event]).toEqual([{ command: 'mine' }, entryOf(tool)]);
      const copies = readdirSync(join(file, '..')).filter((name) => name.includes('.before-countersign-'));
      expect(copies.map((name) => readFileSync(join(file, '..', name), 'utf8'))).toEqual([JSON.stringify(own)]);
      expect(statSync(file).mode & 0o777).toBe(0o640);
    });

    it('are found by the doctor, with what would let calls run', async () => {
      mkdirSync(TOOL_SETUPS[tool].folder(), { recursive: true });
      const state = async () =>
        (await diagnose(join(folder, 'project'), 'secret-key')).find((one) => one.tool === tool)!;
      expect((await state()).state).toBe('uncovered');
      await install(tool);
      const covered = await state();
      expect([covered.state, covered.problems]).toEqual(['installed', []]);
      expect(covered.notes.length).toBeGreaterThan(0);
      mode = 'fails';
      expect((await state()).problems.join('\n')).toContain('a call is decided and recorded');
      mode = 'answers';
      const text = readFileSync(fileOf(tool), 'utf8');
      writeFileSync(
        fileOf(tool),
        text
          .replace('"onFailure": "block"', '"onFailure": "allow"')
          .replace('"failClosed": true', '"failClosed": false')
          .replaceAll('"timeout": 30000', '"timeout": 1000')
          .replaceAll('"timeoutSec": 30', '"timeoutSec": 5')
          .replaceAll(tool === 'codex' ? '"timeout": 30' : 'none', '"timeout": 5'),
      );
      expect((await state()).problems).not.toEqual([]);
    });
  });

  it('are not written without a confirmation, nor in a dry run', async () => {
    const refused = await install('codex', { yes: false });
    expect(refused.failure).toMatchObject({ exitCode: 64 });
    expect(refused.said).toContain('+   "hooks": {');
    expect((await install('codex', { dryRun: true })).failure).toBeUndefined();
    expect([existsSync(fileOf('codex')), existsSync(headersFileOf('codex'))]).toEqual([false, false]);
  });

  it.each(['{ "a": 1, // a comment\n}', '[]', '{"hooks":[]}', '{"hooks":{"BeforeTool":{}}}'])(
    'leave settings alone that they cannot read: %s',
    async (text) => {
      mkdirSync(join(folder, '.gemini'));
      writeFileSync(fileOf('gemini'), text);
      const { failure } = await install('gemini');
      expect(failure).toBeInstanceOf(CommandFailed);
      expect(readFileSync(fileOf('gemini'), 'utf8')).toBe(text);
    },
  );

  it('fail the proof where the service lets the canary pass', async () => {
    mode = 'fails';
    const { failure, said } = await install('cursor');
    expect([failure, said]).toEqual([
      expect.objectContaining({ exitCode: 1 }),
      expect.stringContaining('FAILED a call is decided and recorded'),
    ]);
  });

  it('say without a key that calls are denied', async () => {
    await install('claude-code');
    const [found] = await diagnose(folder, undefined);
    expect(found!.problems).toEqual([expect.stringContaining('COUNTERSIGN_API_KEY is not set')]);
  });
});

describe('a change of settings', () => {
  it('shows the lines that differ', () => {
    const before = jsonLike(null, { a: 1, b: 2, c: 3, d: 4 });
    const after = jsonLike(null, { a: 1, b: 2, c: 5, d: 4 });
    expect(changeLines({ file: 'x', before, after })).toEqual([
      '    "a": 1,',
      '    "b": 2,',
      '-   "c": 3,',
      '+   "c": 5,',
      '    "d": 4',
      '  }',
    ]);
    expect(changeLines({ file: 'x', before, after: before })).toEqual([]);
    expect(changeLines({ file: 'x', before: null, after: '{}\n' })).toEqual(['+ {}']);
  });

  it('keeps the indentation, and replaces earlier entries of the same route at another address', () => {
    expect(jsonLike('{\n\t"a": 1\n}', { b: 1 })).toBe('{\n\t"b": 1\n}\n');
    const old = {
      hooks: { E: [{ command: 'curl http://old/v1/hooks/codex' }, { command: 'x' }], F: [{ url: '/v1/hooks/codex' }] },
    };
    expect(withHooks(old, {}, { E: { command: 'new' } }, '/v1/hooks/codex', 'f')).toEqual({
      hooks: { E: [{ command: 'x' }, { command: 'new' }] },
    });
  });
});
