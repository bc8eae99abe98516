/** One thing that is wrong. */
export interface Finding {
  /** Where: file, table and row, topic and offset, agent and sequence. */
  readonly place: string;
  readonly problem: string;
  /** What to do about it. */
  readonly advice: string;
}

const KEPT = 20;

/** One question that is asked of the stored data, and what was found. */
export class Check {
  readonly findings: Finding[] = [];
  /** Of all findings, kept or not. */
  count = 0;
  /** How many things were looked at. */
  examined = 0;
  /** How far it lags behind the log: no finding, what it holds is a correct beginning. */
  behind = 0;
  readonly notes: string[] = [];
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
  ) {}

  wrong(place: string, problem: string, advice: string = this.advice): void {
    this.count += 1;
    if (this.findings.length < KEPT) this.findings.push({ place, problem, advice });
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

  check(name: string, promise: string, advice: string): Check {
    const check = new Check(name, promise, advice);
    this.checks.push(check);
    return check;
  }

  get count(): number {
    return this.checks.reduce((sum, { count }) => sum + count, 0);
  }
}
