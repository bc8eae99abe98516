import { listedAction } from '@countersign/contracts';
import type { JsonValue } from '@countersign/contracts';
import { whoIn } from '@countersign/policy-engine';
import type { Action, Who } from '@countersign/policy-engine';
import { whoOf } from '../dry-run/recorded-check.js';
import type { RecordedCheck } from '../dry-run/replay-checks.js';

export type Arguments = Readonly<Record<string, JsonValue>>;

/** An allowed check whose action can be read. */
export interface SeenCheck {
  /** ms since the epoch. */
  readonly atMs: number;
  /** As it was checked; without its payload where that was not kept. */
  readonly action: Action;
  readonly type: string;
  /** `null`: it names none. */
  readonly tool: string | null;
  /** `null`: there was a payload, and it was not kept. */
  readonly args: Arguments | null;
  readonly who: Who;
}

/** Numbers of recorded checks, by what can be read of them. */
export interface Readable {
  readonly checks: number;
  /** Denied, refused, or allowed by the mode `observe` although a rule denied: no draft rests on these. */
  readonly notAllowed: number;
  /** Allowed, and the content was erased. */
  readonly erased: number;
  /** Allowed, and the payload was not kept. */
  readonly withheld: number;
}

/** The allowed checks of which something can be read, in their order, and the numbers of all. */
export function seenChecks(checks: readonly RecordedCheck[]): {
  readonly seen: readonly SeenCheck[];
  readonly readable: Readable;
} {
  const seen: SeenCheck[] = [];
  const readable = { checks: checks.length, notAllowed: 0, erased: 0, withheld: 0 };
  for (const check of checks) {
    const { leaf, opened } = check;
    const action = opened.action?.value;
    if (leaf.outcome !== 'allowed' || leaf.violation_type !== null) readable.notAllowed += 1;
    else if (!isObject(action)) readable.erased += 1;
    else {
      const one = seenCheck(check, action);
      if (one.args === null) readable.withheld += 1;
      seen.push(one);
    }
  }
  return { seen, readable };
}

function seenCheck({ leaf, opened }: RecordedCheck, committed: Arguments): SeenCheck {
  const payload = opened.payload?.value;
  const action = payload === undefined ? committed : { ...committed, payload };
  const { type, tool_name: tool } = listedAction(committed);
  const known = leaf.payload === null || payload !== undefined;
  return {
    atMs: Date.parse(leaf.occurredAt),
    action,
    type: typeof type === 'string' ? type : '',
    tool: typeof tool === 'string' && tool !== '' ? tool : null,
    args: known ? (isObject(payload) ? payload : {}) : null,
    who: whoOf(opened.context?.value) ?? whoIn(action),
  };
}

export function isObject(value: unknown): value is Arguments {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
