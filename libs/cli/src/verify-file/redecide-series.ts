import {
  redecisionProblems,
  sumOfTotals,
  withheldCounts,
  withheldLines,
  type EngineVersion,
  type Redecision,
  type RedecisionTotals,
} from '@countersign/redecide';

/** The verdicts of the packages of a series, computed again. */
export interface SeriesRedecision {
  /** Sums over the packages: an agent counts once for each of them. `null`: none could be computed. */
  readonly totals: RedecisionTotals | null;
  readonly engine: EngineVersion | null;
  readonly packages: readonly {
    readonly file: string;
    readonly reportId: string;
    /** `null`: its events or openings are not what they claim to be. */
    readonly totals: RedecisionTotals | null;
  }[];
}

/** Collects the re-decisions of packages, without keeping their events. */
export class SeriesRedecisions {
  readonly #packages: SeriesRedecision['packages'][number][] = [];
  readonly #withheld = new Map<string, number>();
  #engine: EngineVersion | null = null;

  /** @returns differences and broken balances, one line each */
  add(file: string, reportId: string, redecision: Redecision | null): readonly string[] {
    this.#packages.push({ file, reportId, totals: redecision?.totals ?? null });
    if (redecision === null) return [];
    this.#engine = redecision.engine;
    for (const [text, count] of withheldCounts(redecision.events))
      this.#withheld.set(text, (this.#withheld.get(text) ?? 0) + count);
    return redecisionProblems(redecision);
  }

  /** `null` where none was asked for. */
  result(): SeriesRedecision | null {
    if (this.#packages.length === 0) return null;
    const totals = sumOfTotals(this.#packages.flatMap((one) => one.totals ?? []));
    return { totals, engine: this.#engine, packages: this.#packages };
  }

  /** Verdicts that were not computed, and packages of which none was, one line each. */
  notChecked(): readonly string[] {
    const unread = this.#packages.filter(({ totals }) => totals === null);
    return [
      ...withheldLines(this.#withheld).map((line) => `of the verdicts: ${line}`),
      ...unread.map(({ file }) => `the verdicts of ${file}: its events or openings are not what they claim to be`),
    ];
  }
}
