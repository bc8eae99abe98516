import { createHash } from 'node:crypto';
import type { JsonValue } from '@countersign/contracts';

type Members = { readonly [member: string]: JsonValue };

/** The parts of an evaluation (AuthZEN Authorization API 1.0, section 5). */
interface Evaluated {
  readonly subject: Members;
  readonly resource: Members;
  readonly action: Members;
  readonly context: Members;
}

/**
 * Members of a context that do not say what is evaluated: those of the profile, those that a caller names an approval and an
 * agent by, and the time of the attempt (AuthZEN Access Request and Approval Profile, "Authorization-Relevant Context").
 */
const NOT_BOUND: ReadonlySet<string> = new Set([
  ...['access_request', 'evaluation_id', 'evaluated_at', 'reason'],
  ...['approval', 'agent', 'time'],
]);

/** The members of a context that a denial is bound to. */
export function boundMembers(context: Members): readonly string[] {
  return Object.keys(context).filter((member) => !NOT_BOUND.has(member));
}

/**
 * `binding_hash` of a denial: SHA-256 over the canonical form (RFC 8785) of subject, resource, action and the bound members of
 * the context, base64url. A submission may say who acts in `client.actor` instead of `subject.properties.act` (section
 * "Binding Token Integrity"), so that member is left out, and `properties` where it has no other.
 * @param canonicalize as RFC 8785 says
 */
export function accessBindingHash(
  { subject, resource, action, context }: Evaluated,
  members: readonly string[],
  canonicalize: (value: JsonValue) => string,
): string {
  const bound = Object.fromEntries(
    members.filter((member) => Object.hasOwn(context, member)).map((member) => [member, context[member]!]),
  );
  const text = canonicalize({ subject: withoutActor(subject), resource, action, context: bound });
  return createHash('sha256').update(text).digest('base64url');
}

function withoutActor(subject: Members): Members {
  const { properties, ...others } = subject;
  if (!isMembers(properties) || !Object.hasOwn(properties, 'act')) return subject;
  const { act: _act, ...left } = properties;
  return Object.keys(left).length === 0 ? others : { ...others, properties: left };
}

function isMembers(value: JsonValue | undefined): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
