import { createServer } from 'node:http';
import type { Server } from 'node:http';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Command } from 'commander';
import { emptyProfile } from '@countersign/policy-engine';
import { register } from '../commands/policy.js';
import { CommandFailed } from '../exit-codes.js';
import { lintFiles } from '../policy-lint/lint-files.js';

const AGENT = 'aaaaaaaa-aaaa-4aaa-8aaa-aaaaaaaaaaaa';
const COUNT = 50;

/** A recorded check as `GET /v1/events/{eventId}` has it, as far as it is read. */
function detail(n: number): unknown {
  const occurredAt = new Date(Date.UTC(2026, 2, 1) + n * 600_000).toISOString();
  const action = { type: 'tool_use', tool_name: 'refund', metadata: { session: `s${n % 4}` } };
  const leaf = {
    type: 'action.checked',
    eventId: `event-${n}`,
    occurredAt,
    outcome: 'allowed',
    allowed: true,
    violation_type: null,
    rule: null,
    profileVersion: 1,
    payload: 'b'.repeat(64),
  };
  const payload = { amount: 10 + n, to: `person${n}@private.example` };
  const opened = { action: { salt: 's', value: action }, payload: { salt: 's', value: payload } };
  return { sequence: n + 1, leaf, opened, erased: false };
}

describe('countersign policy draft', () => {
  let server: Server;
  let folder: string;
  let asked: string[];
  let refused: boolean;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'countersign-draft-'));
    server = createServer((request, response) => {
      const url = new URL(request.url ?? '', 'http://x');
      asked.push(url.pathname);
      const answer = (body: unknown): unknown => response.writeHead(refused ? 503 : 200).end(JSON.stringify(body));
      request.resume();
      if (url.pathname === '/v1/auth/login') return answer({ token: 'session' });
      if (url.pathname.endsWith('/profile')) return answer({ ...emptyProfile(AGENT), store_payload: true });
      if (url.pathname !== '/v1/events') return answer(detail(Number(url.pathname.split('-').at(-1))));
      // Pages of the newest first.
      const before = Number(url.searchParams.get('before') ?? COUNT);
      const ids = Array.from({ length: Math.min(20, before) }, (_, n) => ({ eventId: `event-${before - 1 - n}` }));
      return answer({ events: ids, next: before > 20 ? String(before - 20) : null });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  });
  beforeEach(() => ([asked, refused] = [[], false]));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true, force: true });
  });

  async function run(...args: readonly string[]) {
    const [out, err]: [string[], string[]] = [[], []];
    const spies = [
      jest.spyOn(process.stdout, 'write').mockImplementation((text) => out.push(String(text)) > 0),
      jest.spyOn(process.stderr, 'write').mockImplementation((text) => err.push(String(text)) > 0),
    ];
    const program = new Command().exitOverride();
    register(program);
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const who = ['--email', 'a@b.example', '--password', 'p', '--agent', AGENT, '--base-url', baseUrl];
    const range = ['--from', '2026-03-01T00:00:00Z', '--to', '2026-03-02T00:00:00Z'];
    try {
      await program.parseAsync(['policy', 'draft', '--from-traffic', ...who, ...range, ...args], { from: 'user' });
      return { code: 0, out: out.join(''), err: err.join('') };
    } catch (error) {
      if (!(error instanceof CommandFailed)) throw error;
      return { code: error.exitCode, out: out.join(''), err: error.message };
    } finally {
      for (const spy of spies) spy.mockRestore();
    }
  }

  it('writes a policy that lint finds nothing in, with a comment on what each rule rests', async () => {
    const file = join(folder, 'draft.yaml');
    const { code, out } = await run('--out', file);
    expect(code).toBe(0);
    expect(out).toContain('rules:refund-amount: rests on 40 allowed checks\n');
    expect(out).toContain('replayed over the checks on which it rests: 0 of 40 would be denied that were allowed\n');
    expect(out).toMatch(
      /10 later checks that were held out: 10 of 10 would be denied that were allowed\n {2}rules:refund-amount: 10, e\.g\. event event-4/,
    );
    const text = readFileSync(file, 'utf8');
    expect(text).toContain('    # rests on 40 allowed checks\n    - id: refund-amount\n');
    expect(text).toMatch(/# rests on 40 allowed checks; the most in one window was \d+\n {4}- id: session-checks/);
    expect(text).toContain('# rests on 40 allowed checks; the most in one window was 6\n  rate_limit:');
    expect(text).not.toMatch(/person\d|s\d\b/);
    expect((await lintFiles([file], null)).flatMap(({ findings }) => findings)).toEqual([]);
    expect(asked.filter((path) => path === '/v1/events')).toHaveLength(3);
    expect((await run()).out).toBe(text);
  }, 60_000);

  it('reads the newest checks alone where there are more than it may read', async () => {
    const { out } = await run('--most', '30', '--out', join(folder, 'newest.yaml'));
    expect(out).toContain('the newest checks alone: --most reads more');
    expect(out).toContain('rests on 24 allowed checks of 24');
  }, 60_000);

  it('ends with 1 for too little traffic or no answer, and with 64 for options that cannot be', async () => {
    const little = await run('--least', '51');
    expect(little).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(/needs 51 allowed checks .* there are 40/),
    });
    refused = true;
    expect(await run()).toMatchObject({ code: 1, err: expect.stringContaining('503') });
    expect(await run('--out', 'draft.json')).toMatchObject({ code: 64, err: expect.stringContaining('YAML') });
    await expect(run('--holdout', '1')).rejects.toThrow(/a number from 0 to 0\.9/);
  }, 60_000);
});
