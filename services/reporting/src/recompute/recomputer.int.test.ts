import { readFileSync } from 'node:fs';
import type { PackageEvent, SignedPackage } from '@countersign/contracts';
import { memberOf } from '@countersign/evidence';
import { HttpRefusal } from '@countersign/http-edge';
import { recompute } from './recompute.js';
import { Recomputer } from './recomputer.js';

const FOLDER = new URL('../../../../libs/evidence/vectors/redecide/', import.meta.url);
const eventsOf = (name: string): readonly PackageEvent[] =>
  (JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as { readonly package: SignedPackage }).package.events;
const same = eventsOf('same.json');
const BROKEN = [{ event: null }] as unknown as readonly PackageEvent[];

const logged: { readonly why?: string; readonly err?: Error }[] = [];
const log = { error: (facts: object) => void logged.push(facts) } as never;
const asked = (recomputer: Recomputer, events: readonly PackageEvent[], accountId = 'account'): Promise<unknown> => {
  const member = memberOf('events', events);
  const few = recomputer.isSmall(events.length, member) ? events : null;
  return recomputer.statement(accountId, 'report', few, member).catch((error: unknown) => {
    if (!(error instanceof HttpRefusal)) throw error;
    return `${error.status}: ${error.message}`;
  });
};

describe('the verdicts of a package, computed in a child process', () => {
  beforeEach(() => void logged.splice(0));

  it('are those that are computed in-process, one package after another', async () => {
    const recomputer = new Recomputer(log, { mostOnThread: 0 });
    const packages = [same, eventsOf('verdict-flipped.json'), eventsOf('debit-skipped.json'), []];
    const stated = await Promise.all(packages.map((events) => asked(recomputer, events)));
    const expected = packages.map((events) => recompute(events).statement);
    expect(stated).toEqual(expected);
    expect(expected.map((one) => one?.totals.different)).toEqual([0, 1, 0, 0]);
    expect(logged).toEqual([]);
    recomputer.end();
  }, 120_000);

  it.each([0, 1])(
    'are left out where computing them throws, which is logged (%i on the thread)',
    async (mostOnThread) => {
      const recomputer = new Recomputer(log, { mostOnThread });
      expect(await asked(recomputer, BROKEN)).toBeNull();
      expect(logged).toEqual([{ reportId: 'report', why: expect.stringContaining('TypeError') as unknown }]);
      recomputer.end();
    },
    120_000,
  );

  it('refuse the export where the process is killed or exceeds a limit, and the next one is computed', async () => {
    const ended = (how: string): string =>
      `503: the process that computes the verdicts of the package ended (${how}): nothing was issued; try again, or export a shorter range`;
    const brief = new Recomputer(log, { mostOnThread: 0, deadlineMs: 1 });
    expect(await asked(brief, same)).toBe(ended('SIGKILL'));
    brief.end();
    const small = new Recomputer(log, { mostOnThread: 0, heapMiB: 2 });
    expect(await asked(small, same)).toMatch(
      /^503: the process that computes the verdicts of the package ended \(SIG(TRAP|ABRT)\)/,
    );
    small.end();
    const malformed = new Recomputer(log, { mostOnThread: 0 });
    const notJson = { name: 'events', pieces: [Buffer.from('"events":[')] };
    await expect(malformed.statement('account', 'report', null, notJson)).rejects.toThrow('ended (1)');
    expect(await asked(malformed, same)).toEqual(recompute(same).statement);
    malformed.end();
    expect(logged.map(({ err }) => err?.name)).toEqual(['ChildFailed', 'ChildFailed', 'ChildFailed']);
  }, 120_000);

  it('are refused where they wait in the queue for too long, and later ones are computed', async () => {
    const recomputer = new Recomputer(log, { mostOnThread: 0, queuedMs: 20 });
    const first = asked(recomputer, same);
    expect(await asked(recomputer, same)).toMatch(/^503: the verdicts of too many packages/);
    expect(await first).toEqual(recompute(same).statement);
    expect(await asked(recomputer, same)).toEqual(recompute(same).statement);
    recomputer.end();
  }, 120_000);

  it('are refused beyond the queue, and all once the service stops', async () => {
    const recomputer = new Recomputer(log, { mostOnThread: 0, waiting: 1 });
    const begun = [asked(recomputer, same), asked(recomputer, same)];
    expect(() => recomputer.requireRoom('account', 1)).toThrow(
      'the verdicts of too many packages are being computed: try again',
    );
    expect(await asked(recomputer, same)).toMatch(/^503: the verdicts of too many packages/);
    recomputer.end();
    expect(await Promise.all(begun)).toEqual(Array(2).fill('503: the service is stopping; try again'));
  }, 120_000);

  it('leave room for other accounts, and for packages that need no process', async () => {
    const recomputer = new Recomputer(log, { mostOnThread: 1, ofAccount: 1 });
    const first = asked(recomputer, same);
    expect(await asked(recomputer, same)).toMatch(/^503: the verdicts of too many packages/);
    expect(() => recomputer.requireRoom('account', 1)).not.toThrow();
    const other = asked(recomputer, same, 'other');
    expect(await Promise.all([first, other])).toEqual(Array(2).fill(recompute(same).statement));
    expect(await asked(recomputer, same)).toEqual(recompute(same).statement);
    recomputer.end();
  }, 120_000);

  it('of large payloads are never computed on the thread of requests', () => {
    const recomputer = new Recomputer(log);
    expect(recomputer.isSmall(1, memberOf('events', []))).toBe(true);
    expect(recomputer.isSmall(1, memberOf('events', ['x'.repeat(300_000)] as never))).toBe(false);
  });
});
