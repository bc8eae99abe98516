import type { Problem, ProblemCode, Unsettled, UnsettledCode } from './result.js';

const KEPT = 100;

/** Collects what a verification finds. */
export class Findings {
  readonly checked: string[] = [];
  readonly notChecked: string[] = [];
  readonly problems: Problem[] = [];
  readonly unsettled: Unsettled[] = [];
  problemCount = 0;

  problem(code: ProblemCode, path: string, message: string, eventId?: string): void {
    this.problemCount += 1;
    if (this.problems.length >= KEPT) return;
    this.problems.push(eventId === undefined ? { code, path, message } : { code, path, message, eventId });
  }

  /** Records an unsettled point; it is listed under `notChecked` too. */
  leaveOpen(code: UnsettledCode, message: string, unlisted?: Unsettled['unlisted']): void {
    this.unsettled.push(unlisted === undefined ? { code, message } : { code, message, unlisted });
    this.notChecked.push(message);
  }

  get clean(): boolean {
    return this.problemCount === 0;
  }
}

/** `1 event`, `2 events`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
