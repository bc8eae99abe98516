/** Result of a reader of untrusted data: the typed value, or one sentence that names the first problem. */
export type Reading<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problem: string };

export function read<T>(value: T): Reading<T> {
  return { ok: true, value };
}

export function refuse(problem: string): { readonly ok: false; readonly problem: string } {
  return { ok: false, problem };
}

/** A JSON object: not `null`, not an array. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A whole number of at least `least` that a double holds exactly. */
export function isWhole(value: unknown, least: number): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
}
