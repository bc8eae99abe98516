import type { Action, CheckResult, Countersign, OutcomeReport } from '@countersign/client';
import { PIECE } from './result-texts.js';
import { ToolGuard } from './tool-guard.js';

const EVENT = '01890a5d-ac96-774b-bcce-b302099a8057';
const call = { name: 'read', given: { path: 'a', url: 'https://a.example/' }, extra: '', isTask: false };

type Client = Pick<Countersign, 'check' | 'scan' | 'reportOutcome'>;
const notes: string[] = [];

function guardOf(client: Partial<Client>, offLimits?: () => Promise<ReadonlySet<string>>): ToolGuard {
  const rules = { offLimits: offLimits ?? (() => Promise.resolve(new Set<string>())) };
  return new ToolGuard(client as Client, rules, (line) => notes.push(line));
}
const never = (): Promise<never> =>
  Promise.reject(new Error('no', { cause: new TypeError('no', { cause: new Error('it failed') }) }));

describe('a guard of tool calls', () => {
  beforeEach(() => notes.splice(0));

  it('checks the tool by its name, its arguments and its address', async () => {
    const asked: unknown[] = [];
    const check = (action: unknown): Promise<CheckResult> => {
      asked.push(action);
      return Promise.resolve({ allowed: true, eventId: EVENT });
    };
    const guard = guardOf({ check });
    expect(await guard.judge(call, 'files', new AbortController().signal)).toMatchObject({ allowed: true });
    expect(asked).toEqual([
      {
        actionType: 'tool_use',
        toolName: 'read',
        url: 'https://a.example/',
        payload: call.given,
        metadata: { source: 'mcp-proxy', server: 'files' },
      },
    ]);
  });

  it('checks in the trace of the call', async () => {
    const asked: unknown[] = [];
    const check: Countersign['check'] = (_action, options) => {
      asked.push(options?.traceparent);
      return Promise.resolve({ allowed: true });
    };
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const { signal } = new AbortController();
    await guardOf({ check }).judge({ ...call, traceparent }, null, signal);
    await guardOf({ check }).judge(call, null, signal);
    expect(asked).toEqual([traceparent, undefined]);
  });

  it('checks in its session', async () => {
    const asked: Action[] = [];
    const check = (action: Action): Promise<CheckResult> => Promise.resolve({ allowed: asked.push(action) > 0 });
    const rules = { offLimits: () => Promise.resolve(new Set<string>()) };
    const guard = new ToolGuard({ check } as unknown as Client, rules, () => undefined, 'abc');
    await guard.judge(call, null, new AbortController().signal);
    expect(asked[0]?.metadata).toEqual({ source: 'mcp-proxy', session: 'abc' });
  });

  it('allows nothing that could not be checked or scanned', async () => {
    const guard = guardOf({ check: never, scan: never }, never);
    const signal = new AbortController().signal;
    expect(await guard.judge(call, null, signal)).toMatchObject({ allowed: false, reason: /it failed/u });
    expect(await guard.scan('a', 'judged')).toMatchObject({ allowed: false, reason: /it failed/u });
    expect(await guard.offLimits(['read'])).toEqual(new Set());
    expect(notes).toEqual([expect.stringContaining('it failed')]);
  });

  it('scans all of a long text, and its length as a whole', async () => {
    const scanned: string[] = [];
    const scan = (text: string): Promise<CheckResult> => {
      scanned.push(text);
      return Promise.resolve(text.includes('secret') ? { allowed: false, reason: 'secret' } : { allowed: true });
    };
    const guard = guardOf({ scan });
    const long = `${'a'.repeat(3 * PIECE)}secret`;
    expect(await guard.scan(long, 'judged')).toMatchObject({ allowed: false });
    expect(scanned[0]).toBe(' '.repeat(long.length));
    expect(await guard.scan('short', 'judged')).toEqual({ allowed: true });
    expect(scanned.at(-1)).toBe('short');
  });

  it('skips the length check if it is not wanted, and sends nothing for an empty text', async () => {
    const scanned: string[] = [];
    const scan = (text: string): Promise<CheckResult> => {
      scanned.push(text);
      return Promise.resolve({ allowed: false, category: text.includes('secret') ? 'secret' : 'length' });
    };
    const guard = guardOf({ scan });
    const long = 'a'.repeat(2 * PIECE);
    expect(await guard.scan(long, 'any')).toEqual({ allowed: true });
    expect(scanned.every((text) => text.startsWith('a'))).toBe(true);
    expect(await guard.scan(`${long}secret`, 'any')).toMatchObject({ category: 'secret' });
    expect(await guard.scan('a', 'judged')).toMatchObject({ category: 'length' });
    scanned.length = 0;
    expect([await guard.scan('', 'judged'), scanned]).toEqual([{ allowed: true }, []]);
  });

  it('limits concurrent scans', async () => {
    let open: (() => void)[] = [];
    const guard = guardOf({ scan: () => new Promise((resolve) => open.push(() => resolve({ allowed: true }))) });
    const all = Promise.all(Array.from({ length: 40 }, () => guard.scan('a', 'any')));
    const most = open.length;
    expect(most).toBeLessThan(40);
    while (open.length > 0) {
      const now = open;
      open = [];
      for (const resolve of now) resolve();
      await new Promise((resolve) => setImmediate(resolve));
      expect(open.length).toBeLessThanOrEqual(most);
    }
    expect((await all).every(({ allowed }) => allowed)).toBe(true);
  });

  it('reports all outcomes, a few at a time, and counts those left over', async () => {
    let open: (() => void)[] = [];
    const taken: OutcomeReport[] = [];
    const reportOutcome = (report: OutcomeReport): Promise<void> => {
      taken.push(report);
      return new Promise((resolve) => open.push(resolve));
    };
    const guard = guardOf({ reportOutcome });
    for (let n = 0; n < 40; n += 1) guard.report(`${EVENT}${n}`, 'succeeded');
    guard.report(undefined, 'failed');
    expect(taken.length).toBeLessThan(40);
    expect(await guard.reported(1)).toBe(40);
    const all = guard.reported(60_000);
    while (taken.length < 40 || open.length > 0) {
      const now = open;
      open = [];
      for (const resolve of now) resolve();
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await all).toBe(0);
    expect(new Set(taken.map(({ eventId }) => eventId)).size).toBe(40);
  });

  it('names the outcome that was not recorded', async () => {
    const guard = guardOf({ reportOutcome: never });
    guard.report(EVENT, 'failed');
    expect(await guard.reported(60_000)).toBe(0);
    expect(notes).toEqual([expect.stringMatching(`${EVENT}.*failed.*it failed`)]);
  });
});
