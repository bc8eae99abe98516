import { LAYOUT, STORE_NAMES } from './layout.js';

/** One thing that is wrong. */
export interface Finding {
  /** Where: file, table and row, topic and offset, agent and sequence. */
  readonly place: string;
  readonly problem: string;
  /** Advice. */
  readonly advice: string;
}

const KEPT = 20;
const FILES: readonly string[] = [LAYOUT.log, ...STORE_NAMES.map((name) => LAYOUT[name])];

/** One question that is asked of the stored data, and what was found. */
export class Check {
  readonly #spokeOf = new Set<string>();
  readonly findings: Finding[] = [];
  /** Of all findings, kept or not. */
  count = 0;
  /** How many things were looked at. */
  examined = 0;
  /** How far it lags behind the log: no finding, what it holds is a correct beginning. */
  behind = 0;
  readonly notes: string[] = [];
  /** Files of {@link LAYOUT} that findings name, kept or not. */
  get spokeOf(): ReadonlySet<string> {
    return this.#spokeOf;
  }
  /** Why it could not be asked, or `null`. */
  skipped: string | null = null;

  /**
   * @param name two or three plain words
   * @param promise what holds when nothing is found; follows the number examined
   * @param advice for findings that have none of their own
   */
  constructor(
    readonly name: string,
    readonly promise: string,
    readonly advice: string,
    private readonly inWords: (text: string) => string = (text) => text,
  ) {}

  wrong(place: string, problem: string, advice: string = this.advice): void {
    this.count += 1;
    for (const file of FILES) if (place.includes(file) || problem.includes(file)) this.#spokeOf.add(file);
    if (this.findings.length >= KEPT) return;
    this.findings.push({ place: this.inWords(place), problem: this.inWords(problem), advice: this.inWords(advice) });
  }

  note(text: string): void {
    this.notes.push(text);
  }

  skip(reason: string): void {
    this.skipped ??= reason;
  }
}

/** The checks in the order in which they are shown. */
export class Report {
  readonly checks: Check[] = [];
  readonly #inWords: (text: string) => string;

  /** @param inWords how places are named where an installation keeps things otherwise than in files */
  constructor(inWords: (text: string) => string = (text) => text) {
    this.#inWords = inWords;
  }

  check(name: string, promise: string, advice: string): Check {
    const check = new Check(name, promise, advice, this.#inWords);
    this.checks.push(check);
    return check;
  }

  /** Makes findings of what lags behind. */
  settled(): void {
    for (const check of this.checks) {
      if (check.behind > 0)
        check.wrong(check.name, `it is behind by ${check.behind}`, 'wait, and look why it does not move');
    }
  }

  get count(): number {
    return this.checks.reduce((sum, { count }) => sum + count, 0);
  }
}
