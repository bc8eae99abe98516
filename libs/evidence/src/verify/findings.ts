import type { Problem, ProblemCode } from './result.js';

const KEPT = 100;

/** What a verification has found so far. */
export class Findings {
  readonly checked: string[] = [];
  readonly notChecked: string[] = [];
  readonly problems: Problem[] = [];
  problemCount = 0;

  problem(code: ProblemCode, path: string, message: string, eventId?: string): void {
    this.problemCount += 1;
    if (this.problems.length >= KEPT) return;
    this.problems.push(eventId === undefined ? { code, path, message } : { code, path, message, eventId });
  }

  get clean(): boolean {
    return this.problemCount === 0;
  }
}

/** `1 event`, `2 events`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
