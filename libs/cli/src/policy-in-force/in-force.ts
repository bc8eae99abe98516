import type { BehaviorProfile } from '@countersign/contracts';
import { applyProfilePatch, emptyProfile, profileWarnings } from '@countersign/policy-engine';
import type { ProfilePatch } from '@countersign/policy-engine';
import { Api } from '../api-client/api.js';
import { CommandFailed, EXIT } from '../exit-codes.js';

export interface ProfileTarget {
  readonly baseUrl: string;
  readonly agentId: string;
  /** An API key with the right `policy`. */
  readonly apiKey: string;
}

type Rules = Readonly<Record<string, unknown>>;

export interface PutInForce {
  readonly before: BehaviorProfile;
  readonly after: BehaviorProfile;
  readonly lines: readonly string[];
  /** Warnings about entries of the profile without effect. */
  readonly warnings: readonly string[];
}

/** The rules of a profile: every field but the agent and the version. */
function rulesOf({ agent_id: _agent, version: _version, ...rules }: BehaviorProfile): Rules {
  return rules;
}

/** The rules that a file puts in force: fields that it does not name take their defaults. */
function wantedRules(patch: ProfilePatch): Rules {
  return rulesOf(applyProfilePatch(emptyProfile(''), patch));
}

/** The rules of a profile that a file has to name: those that differ from the defaults. */
export function namedRules(profile: BehaviorProfile): Rules {
  const defaults = rulesOf(emptyProfile(''));
  return Object.fromEntries(Object.entries(rulesOf(profile)).filter(([field, value]) => !same(value, defaults[field])));
}

/** A line for each entry or value that is removed (`-`) or added (`+`); empty if there is no difference. */
export function differences(before: Rules, after: Rules): readonly string[] {
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((field) => {
    const [old, next] = [before[field], after[field]];
    if (same(old, next)) return [];
    if (!Array.isArray(old) || !Array.isArray(next)) {
      return [`- ${field}: ${JSON.stringify(old ?? null)}`, `+ ${field}: ${JSON.stringify(next ?? null)}`];
    }
    const lines = [
      ...old.filter((entry) => !next.includes(entry)).map((entry) => `- ${field}: ${JSON.stringify(entry)}`),
      ...next.filter((entry) => !old.includes(entry)).map((entry) => `+ ${field}: ${JSON.stringify(entry)}`),
    ];
    return lines.length > 0 ? lines : [`- ${field}: ${JSON.stringify(old)}`, `+ ${field}: ${JSON.stringify(next)}`];
  });
}

const same = (one: unknown, other: unknown): boolean => JSON.stringify(sorted(one)) === JSON.stringify(sorted(other));

function sorted(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/** Fetches the profile in force. @throws CommandFailed 1 with the service's error message */
export function profileInForce(target: ProfileTarget): Promise<BehaviorProfile> {
  return ask(target, 'GET');
}

/**
 * Puts a policy in force: returns the differences and the profile afterwards.
 * @throws CommandFailed 1, also if the profile was changed concurrently
 */
export async function putInForce(target: ProfileTarget, patch: ProfilePatch): Promise<PutInForce> {
  const before = await profileInForce(target);
  const wanted = wantedRules(patch);
  const lines = differences(rulesOf(before), wanted);
  if (lines.length === 0) return { before, after: before, lines, warnings: profileWarnings(before) };
  const { warnings = [], ...after } = await ask(target, 'PUT', { ...wanted, version: before.version });
  return { before, after, lines, warnings };
}

/** The changes that a policy would make to the profile in force. */
export async function compareInForce(target: ProfileTarget, patch: ProfilePatch): Promise<readonly string[]> {
  return differences(rulesOf(await profileInForce(target)), wantedRules(patch));
}

async function ask(
  { baseUrl, agentId, apiKey }: ProfileTarget,
  method: string,
  body?: Rules,
): Promise<BehaviorProfile & { readonly warnings?: readonly string[] }> {
  const api = new Api(baseUrl);
  const path = `/v1/mcp/agents/${encodeURIComponent(agentId)}/profile`;
  try {
    const answer = await api.send(method, path, { 'x-service-key': apiKey }, body).catch((error: unknown) => {
      throw new CommandFailed(EXIT.wrong, `no answer from ${baseUrl}: ${error instanceof Error ? error.message : ''}`);
    });
    if (answer.status === 200)
      return JSON.parse(answer.text) as BehaviorProfile & { readonly warnings?: readonly string[] };
    const changed = answer.status === 409 ? '; nothing was changed: see what differs now with policy diff' : '';
    throw new CommandFailed(EXIT.wrong, `${method} ${path}: ${answer.status} ${answer.text}${changed}`);
  } finally {
    api.close();
  }
}
