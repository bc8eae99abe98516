import { createHash } from 'node:crypto';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig, createLogger } from '@countersign/process';
import { examine } from '../fsck.js';
import { LAYOUT, type StoreName } from '../layout.js';
import type { Report } from '../report.js';
import { damage, targetsIn } from '../testing/damage.js';
import type { SmallInstance } from '../testing/small-instance.js';
import type { Rebuilt } from './rebuild-damaged.js';
import { rebuildStores } from './rebuild.js';
import type { Step } from './swap-in.js';

const PROJECTIONS: readonly StoreName[] = ['archive', 'anchors', 'policy', 'facts'];
const config = loadConfig({});
const log = createLogger('silent');

/** @param small made before the first test */
export const describeRebuild = (small: SmallInstance): void =>
  describe('projections that are rebuilt from the log', () => {
    const copy = join(small.folder, 'copy');
    const place = (name: StoreName): string => join(copy, LAYOUT[name]);

    beforeEach(() => {
      rmSync(copy, { recursive: true, force: true });
      cpSync(small.dataDir, copy, { recursive: true, filter: (path) => !path.endsWith('.sock') });
    });

    async function found(): Promise<Report> {
      return (await examine(copy, false, () => undefined)).report;
    }
    function lines(report: Report): readonly string[] {
      return report.checks.flatMap(({ name, findings }) => findings.map((f) => `${name}: ${f.place}: ${f.problem}`));
    }
    async function rebuild(at?: (file: string, step: Step) => void): Promise<readonly Rebuilt[]> {
      const options = { config, log, progress: () => undefined, ...(at === undefined ? {} : { at }) };
      return rebuildStores(copy, await found(), options);
    }

    const damages: Readonly<Record<string, (name: StoreName) => void>> = {
      'lost rows': (name) => {
        for (const target of targetsIn(place(name)).filter(({ column }) => column === null))
          damage(place(name), target, () => 0);
      },
      'flipped bits': (name) => {
        const bytes = readFileSync(place(name));
        for (let at = 4096; at < bytes.length; at += 1024) bytes[at] = bytes[at]! ^ 4;
        writeFileSync(place(name), bytes);
      },
      'a truncated file': (name) => truncateSync(place(name), 5000),
      'no file': (name) => rmSync(place(name)),
    };

    // Rows that are lost in anchoring and in the archive at once speak against the log.
    const together: readonly (readonly [how: string, names: readonly StoreName[]])[] = [
      ['lost rows', ['anchors', 'policy']],
      ['lost rows', ['archive', 'facts']],
      ['flipped bits', PROJECTIONS],
      ['a truncated file', PROJECTIONS],
      ['no file', PROJECTIONS],
    ];
    it.each(together)(
      'are clean again after %s in %j',
      async (how, names) => {
        const logged = hashOf(join(copy, LAYOUT.log));
        for (const name of names) damages[how]!(name);
        const damaged = names.map((name) => hashOf(place(name)));
        const rebuilt = await rebuild();
        for (const name of names)
          expect(rebuilt).toContainEqual(expect.objectContaining({ file: LAYOUT[name], refused: null }));
        expect(lines(await found())).toEqual([]);
        const asides = names.map((name) => rebuilt.find(({ file }) => file === LAYOUT[name])!.aside);
        expect(asides.map((aside) => (aside === null ? null : hashOf(join(copy, aside))))).toEqual(damaged);
        expect(hashOf(join(copy, LAYOUT.log))).toEqual(logged);
        for (const name of names) expect(readdirSync(join(place(name), '..'))).not.toContain('rebuilding');
      },
      60_000,
    );

    it('leave the old one or the new one in place whenever the process dies', async () => {
      damage(place('facts'), { table: 'doc_facts', column: null }, () => 0);
      const old = hashOf(place('facts'));
      for (const dies of ['made', 'kept', 'settled'] as const) {
        const [result] = await rebuild((_file, step) => {
          if (step === dies) throw new Error('killed');
        });
        expect(result).toMatchObject({ refused: 'killed' });
        expect(readdirSync(join(copy, 'verification'))).not.toContain('rebuilding');
        expect(hashOf(place('facts'))).toEqual(old);
      }
      await rebuild();
      expect(lines(await found())).toEqual([]);
      const asides = readdirSync(join(copy, 'verification')).filter((file) => file.includes('.damaged-'));
      for (const aside of asides) expect(hashOf(join(copy, 'verification', aside))).toEqual(old);
      expect(asides.length).toBe(3);
    }, 60_000);

    it('do not follow a log that was changed', async () => {
      damage(place('archive'), { table: 'events', column: 'leaf' }, () => 0);
      damage(place('anchors'), { table: 'segments', column: 'hashes' }, () => 0);
      const before = hashOf(place('archive'));
      for (const { refused } of await rebuild()) expect(refused).toMatch(/it may be the log that was changed/);
      expect(hashOf(place('archive'))).toEqual(before);
    }, 60_000);

    it('are all that is made: an owner of what it holds is named', async () => {
      rmSync(place('identity'));
      truncateSync(place('alerts'), 100);
      expect((await rebuild()).filter(({ refused }) => refused !== null)).toEqual([
        expect.objectContaining({
          file: LAYOUT.identity,
          refused: expect.stringMatching(/it owns what it holds \(users/),
        }),
        expect.objectContaining({ file: LAYOUT.alerts, refused: expect.stringMatching(/from a backup/) }),
      ]);
    }, 60_000);
  });

function hashOf(file: string): string | null {
  return existsSync(file) ? createHash('sha256').update(readFileSync(file)).digest('hex') : null;
}
