import { MAX_PATCH_CHARACTERS } from '@countersign/contracts';
import type { PatchOperation } from '@countersign/contracts';
import { namesOf } from './apply-patch.js';

/** A patch changes an action and never makes another of it. */
const KEPT: ReadonlySet<string> = new Set(['type', 'tool_name', 'toolName']);
/** Most objects and lists inside each other in a value. */
const MAX_DEPTH = 16;
const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/;

/** Why a patch that fits its schema is refused; `null`: it is accepted. Both are parts of a sentence about the rule. */
export function patchProblem(
  patch: readonly PatchOperation[],
): { readonly place: string; readonly message: string } | null {
  for (const [at, operation] of patch.entries()) {
    const problem = operationProblem(operation);
    if (problem !== null)
      return {
        place: `patch[${at}]${problem.place}`,
        message: problem.message,
      };
  }
  return JSON.stringify(patch).length > MAX_PATCH_CHARACTERS
    ? {
        place: 'patch',
        message: `has more than ${MAX_PATCH_CHARACTERS} characters of JSON`,
      }
    : null;
}

function operationProblem({ op, path, value }: PatchOperation): {
  readonly place: string;
  readonly message: string;
} | null {
  const names = namesOf(path);
  if (KEPT.has(names[0]!))
    return {
      place: '.path',
      message: 'changes which action it is: a patch keeps type, tool_name and toolName',
    };
  // Members of this name are read differently by programs that apply a patch.
  if (names.includes('__proto__')) return { place: '.path', message: 'names __proto__, which no action has' };
  if (LONE_SURROGATE.test(path)) return { place: '.path', message: 'has half of a surrogate pair' };
  if (op === 'remove')
    return value === undefined ? null : { place: '.value', message: 'is given for remove: leave it out' };
  if (value === undefined) return { place: '', message: `needs a value, which ${op} sets` };
  const problem = valueProblem(value, MAX_DEPTH);
  return problem === null ? null : { place: '.value', message: problem };
}

function valueProblem(value: unknown, depth: number): string | null {
  if (typeof value === 'string') return LONE_SURROGATE.test(value) ? 'has half of a surrogate pair' : null;
  if (typeof value === 'number') {
    return Number.isFinite(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER
      ? null
      : 'has a number beyond 2^53, where numbers are not exact';
  }
  if (typeof value !== 'object' || value === null) return null;
  if (depth === 0) return `has more than ${MAX_DEPTH} objects and lists inside each other`;
  for (const [name, inner] of Object.entries(value)) {
    if (name === '__proto__') return 'has a member __proto__, which no action has';
    const problem = valueProblem(name, depth) ?? valueProblem(inner, depth - 1);
    if (problem !== null) return problem;
  }
  return null;
}
