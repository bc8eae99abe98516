import { listedAction } from '@countersign/contracts';
import type { DryRunAnswer } from '@countersign/contracts';
import type { Verdict } from '../simulate/simulated-agent.js';
import { UNJUDGED } from './recorded-check.js';
import type { JudgedCheck, Unjudged } from './recorded-check.js';

const EXAMPLES_A_RULE = 5;
const EXAMPLES = 100;
const LONGEST_ACTION = 4096;

type Flips = DryRunAnswer['byRule'][number];
type Example = Flips['examples'][number];
type ShownVerdict = Example['before'];

interface RuleFlips extends Pick<Flips, 'violation_type' | 'rule'> {
  toDenied: number;
  toAllowed: number;
  readonly examples: Example[];
}

/** Results of recorded checks under a draft. */
export type Tallied = Pick<
  DryRunAnswer,
  'checks' | 'evaluated' | 'unchanged' | 'notEvaluated' | 'flips' | 'freezes' | 'byRule'
>;

/** Adds up the results of recorded checks under a draft; keeps the first few flips of each rule as examples. */
export class FlipTally {
  readonly #rules = new Map<string, RuleFlips>();
  readonly #unjudged: Record<Unjudged, number> = { erased: 0, payloadNotKept: 0, frozen: 0, plan: 0 };
  #evaluated = 0;
  #toDenied = 0;
  #toAllowed = 0;
  #freezes = 0;
  #examples = 0;

  add(event: JudgedCheck, verdict: Verdict | Unjudged): void {
    if (typeof verdict === 'string') {
      this.#unjudged[verdict] += 1;
      return;
    }
    this.#evaluated += 1;
    if (verdict.freezes) this.#freezes += 1;
    const { leaf } = event.envelope;
    const before: ShownVerdict = {
      allowed: leaf.allowed === true,
      violation_type: leaf.violation_type,
      rule: leaf.rule,
    };
    if (before.allowed === verdict.allowed) return;
    const after: ShownVerdict = {
      allowed: verdict.allowed,
      violation_type: verdict.violation?.violation_type ?? null,
      rule: verdict.violation?.rule ?? null,
    };
    const flips = this.#flipsOf(before.allowed ? after : before);
    if (before.allowed) {
      this.#toDenied += 1;
      flips.toDenied += 1;
    } else {
      this.#toAllowed += 1;
      flips.toAllowed += 1;
    }
    if (flips.examples.length >= EXAMPLES_A_RULE || this.#examples >= EXAMPLES) return;
    this.#examples += 1;
    const { eventId, occurredAt } = leaf;
    flips.examples.push({ eventId, occurredAt, action: shownAction(event), before, after });
  }

  result(): Tallied {
    const notEvaluated = UNJUDGED.reduce((sum, reason) => sum + this.#unjudged[reason], 0);
    return {
      checks: this.#evaluated + notEvaluated,
      evaluated: this.#evaluated,
      unchanged: this.#evaluated - this.#toDenied - this.#toAllowed,
      notEvaluated: { count: notEvaluated, ...this.#unjudged },
      flips: { toDenied: this.#toDenied, toAllowed: this.#toAllowed },
      freezes: this.#freezes,
      byRule: [...this.#rules.values()].sort((a, b) => b.toDenied + b.toAllowed - a.toDenied - a.toAllowed),
    };
  }

  #flipsOf({ violation_type, rule }: ShownVerdict): RuleFlips {
    const key = `${violation_type} ${rule}`;
    let flips = this.#rules.get(key);
    if (flips === undefined) {
      this.#rules.set(key, (flips = { violation_type, rule, toDenied: 0, toAllowed: 0, examples: [] }));
    }
    return flips;
  }
}

function shownAction({ envelope }: JudgedCheck): Example['action'] {
  const value = envelope.openings.action?.value;
  if (value === undefined) return null;
  const { metadata: _, ...shown } = listedAction(value);
  return JSON.stringify(shown).length > LONGEST_ACTION ? null : shown;
}
