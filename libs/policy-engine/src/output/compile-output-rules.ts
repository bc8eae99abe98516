import type { OutputRules } from '@countersign/contracts';
import { CleanNames } from './clean-names.js';
import { PiiScanner } from './pii/scanner.js';
import { Topics } from './topics.js';

/** Compiled output rules; an empty rule is `null`. */
export interface CompiledOutputRules {
  readonly pii: PiiScanner | null;
  readonly secrets: boolean;
  readonly topics: Topics | null;
  readonly maxLength: number | null;
  /** Names in which these rules found nothing before; no decision depends on it. `null`: nothing is remembered. */
  readonly cleanNames: CleanNames | null;
}

/** `null` where no rule is set. */
export function compileOutputRules(rules: OutputRules | null): CompiledOutputRules | null {
  if (rules === null) return null;
  const { blocked_pii: blocked, block_secrets: secrets, blocked_topics: topics, max_length: maxLength } = rules;
  if (blocked.length === 0 && !secrets && topics.length === 0 && maxLength === null) return null;
  return {
    pii: blocked.length === 0 ? null : new PiiScanner(blocked),
    secrets,
    topics: topics.length === 0 ? null : new Topics(topics),
    maxLength,
    cleanNames: new CleanNames(),
  };
}
