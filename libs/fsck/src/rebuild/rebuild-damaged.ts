import { LAYOUT, type StoreName } from '../layout.js';
import type { Report } from '../report.js';
import { OWNERS, PROJECTIONS, type Projection } from './stores.js';
import { damagedStores, whyNotFromLog } from './what-is-damaged.js';

/** Result of rebuilding a store that has findings. */
export interface Rebuilt {
  /** Embedded: below the data directory. Distributed: its collections. */
  readonly file: string;
  /** Where the damaged one is kept, named as `file` is; `null`: there was none, or it is still in place. */
  readonly aside: string | null;
  /** Why it was not rebuilt; `null`: it was. */
  readonly refused: string | null;
  /** Data that no topic has, for the operator to read. */
  readonly lost: readonly string[];
}

/** How a profile rebuilds a projection. */
export interface Making {
  /** Scope of a backup: `the whole data directory`. */
  readonly backup: string;
  /** Words about files in those of the profile. */
  readonly inWords: (text: string) => string;
  make(projection: Projection): Promise<Omit<Rebuilt, 'file'>>;
}

/** Projections that have findings and can be made from the log. */
export function toBeMade(report: Report): readonly Projection[] {
  const damaged = damagedStores(report);
  return whyNotFromLog(report, '') === null ? PROJECTIONS.filter(({ name }) => damaged.has(name)) : [];
}

/**
 * Rebuilds the projections that findings name, one after the other, and names the stores that cannot be rebuilt.
 * @param report of an examination of the same installation
 */
export async function rebuildDamaged(report: Report, making: Making): Promise<readonly Rebuilt[]> {
  const { backup, inWords } = making;
  const damaged = damagedStores(report);
  const refused = (name: StoreName, why: string): Rebuilt => ({
    file: inWords(LAYOUT[name]),
    aside: null,
    refused: inWords(why),
    lost: [],
  });
  const results: Rebuilt[] = [];
  const projections = PROJECTIONS.filter(({ name }) => damaged.has(name));
  const why = projections.length === 0 ? null : whyNotFromLog(report, backup);
  let anchored = true;
  for (const projection of projections) {
    const { name } = projection;
    if (why !== null) results.push(refused(name, why));
    else if (name === 'archive' && !anchored) {
      results.push(refused(name, `${LAYOUT.anchors} could not be made from the log, so the log is not to be trusted`));
    } else {
      const result = await making.make(projection);
      anchored &&= name !== 'anchors' || result.refused === null;
      results.push({ file: inWords(LAYOUT[name]), ...result });
    }
  }
  for (const [name, what] of Object.entries(OWNERS) as [StoreName, string][]) {
    if (damaged.has(name))
      results.push(refused(name, `it owns what it holds (${what}): restore ${backup} from a backup`));
  }
  return results;
}
