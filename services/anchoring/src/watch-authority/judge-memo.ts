import { parseWindowMemo, type WindowMemo } from '@countersign/evidence';

/** The contradiction in a memo of our authority: it has another root for a window, or a window that we do not have. */
export type Equivocation = 'other-root' | 'unknown-window';

/** A memo of a window: which one, and the root that it says. `null` for any other text. */
export function windowOf(
  text: string,
): { readonly cadenceSeconds: number; readonly startMs: number; readonly root: string } | null {
  const memo: WindowMemo | null = parseWindowMemo(text);
  if (memo === null) return null;
  return { cadenceSeconds: memo.durationSeconds, startMs: Date.parse(memo.windowStart), root: memo.root };
}

/** @param ours root of our closed window of that label; `null`: there is none */
export function judgeMemo(root: string, ours: string | null): Equivocation | null {
  if (ours === root) return null;
  return ours === null ? 'unknown-window' : 'other-root';
}
