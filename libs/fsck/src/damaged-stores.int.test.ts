import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { examine } from './fsck.js';
import { LAYOUT, STORE_NAMES } from './layout.js';
import type { Report } from './report.js';
import { damage, targetsIn, type Target } from './testing/damage.js';
import { describeRebuild } from './rebuild/rebuild.contract.js';
import { SmallInstance } from './testing/small-instance.js';
import { FOUND_NOWHERE } from './rows/found-nowhere.js';

/** Random runs of a property: all with `COUNTERSIGN_TEST_LONG=true`, a fifth of them in every run. */
const runs = (all: number): number => (process.env['COUNTERSIGN_TEST_LONG'] === 'true' ? all : all / 5);

interface Case extends Target {
  readonly store: (typeof STORE_NAMES)[number];
}

const CASES = 40;

const describeDamagedRows = (small: SmallInstance): void =>
  describe('a row that was removed or changed', () => {
    const copy = join(small.folder, 'copy');
    let cases: readonly Case[] = [];

    beforeAll(() => {
      cases = STORE_NAMES.flatMap((store) =>
        targetsIn(join(small.dataDir, LAYOUT[store])).map((target) => ({ store, ...target })),
      ).filter(({ store, table, column }) => FOUND_NOWHERE[`${store} ${table} ${column ?? 'row'}`] === undefined);
    });

    async function examined(dataDir: string): Promise<Report> {
      const { report } = await examine(dataDir, false, () => undefined);
      report.settled();
      return report;
    }

    it('is not there in unchanged stores', async () => {
      const { checks } = await examined(small.dataDir);
      expect(checks.flatMap(({ name, findings }) => findings.map((finding) => ({ name, ...finding })))).toEqual([]);
      expect(new Set(cases.map(({ store }) => store))).toEqual(new Set(STORE_NAMES));
      expect(cases.length).toBeGreaterThan(100);
    }, 60_000);

    it('is found, whatever the table and the column', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.constantFrom(...cases),
          fc.infiniteStream(fc.nat()),
          async ({ store, ...target }, numbers) => {
            rmSync(copy, { recursive: true, force: true });
            cpSync(small.dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
            const did = damage(join(copy, LAYOUT[store]), target, (n) => (numbers.next().value as number) % n);
            fc.pre(did !== null);
            const report = await examined(copy);
            if (report.count === 0) throw new Error(`${LAYOUT[store]} ${target.table}: ${did}`);
          },
        ),
        { numRuns: runs(CASES) },
      );
    }, 120_000);
  });

describe('the stores of a stopped instance', () => {
  const small = new SmallInstance();
  beforeAll(() => small.make(), 120_000);
  afterAll(() => small.discard());

  describeDamagedRows(small);
  describeRebuild(small);
});
