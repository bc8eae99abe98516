import { toolAddress } from '@countersign/client';
import type { EvaluationParts, JsonValue } from '@countersign/contracts';

/** The members of an action that say what it is done to, by the type of the resource in lower case. */
const RESOURCE_MEMBERS: ReadonlyMap<string, 'url' | 'tool_name' | 'dataScope'> = new Map([
  ['url', 'url'],
  ['uri', 'url'],
  ['tool', 'tool_name'],
  ['tool_name', 'tool_name'],
  ['toolname', 'tool_name'],
  ['data', 'dataScope'],
  ['data_scope', 'dataScope'],
  ['datascope', 'dataScope'],
]);

/** Members that come from other parts of the evaluation. */
const TAKEN = ['type', 'subject', 'resource'] as const;

type Members = Record<string, JsonValue>;

/** The body of `POST /v1/check` that an evaluation means: still to be judged as one. Or what to change in it. */
export function readEvaluation({ subject, action, resource, context }: EvaluationParts): object | string {
  if (subject === undefined) return 'subject is missing';
  if (subject.type === undefined) return 'subject.type is missing';
  if (subject.id === undefined) return 'subject.id is missing';
  if (action === undefined) return 'action is missing';
  if (action.name === undefined) return 'action.name is missing';
  if (resource === undefined) return 'resource is missing';
  if (resource.type === undefined) return 'resource.type is missing';
  if (resource.id === undefined) return 'resource.id is missing';
  if (subject.type !== 'agent') return 'subject.type must be agent';
  const given: Members = { ...action.properties };
  for (const member of TAKEN) {
    if (given[member] !== undefined) return `action.properties.${member} is not taken: it is said elsewhere`;
  }
  const asked: Members = { ...given, type: action.name, resource };
  if (subject.properties !== undefined) asked['subject'] = subject;
  for (const member of membersFor(resource.type, resource.id)) {
    if ((given[member] ?? resource.id) !== resource.id) return `action.properties.${member} and resource.id differ`;
    asked[member] = resource.id;
  }
  // As adapters, hook and proxy find it in the arguments of a tool.
  if (action.name === 'tool_use' && asked['url'] === undefined && given['payload'] !== undefined) {
    const address = toolAddress(given['payload']);
    if (address.refused !== undefined) return `action.properties.payload: ${address.refused}`;
    if (address.url !== undefined) asked['url'] = address.url;
  }
  if (context !== undefined) {
    if (given['metadata'] !== undefined) return 'send context or action.properties.metadata, not both';
    asked['metadata'] = context;
  }
  return { agentId: subject.id, action: asked };
}

/** An address is one whatever its type is called: another word for it must not evade a rule about APIs. */
function membersFor(type: string, id: string): readonly ('url' | 'tool_name' | 'dataScope')[] {
  const member = RESOURCE_MEMBERS.get(type.toLowerCase());
  if (member === 'url' || isAddress(id)) return member === undefined || member === 'url' ? ['url'] : [member, 'url'];
  return member === undefined ? [] : [member];
}

/**
 * Whether an id is an address of any scheme: one of the web's, which the URL standard reads without slashes too, or one
 * with an authority. After blanks, with line breaks and tabs in it; the rest is judged as a check is.
 */
function isAddress(id: string): boolean {
  return /^[\0- ]*(?:(?:https?|wss?|ftp):|[a-z][a-z0-9+.-]*:[/\\]{2})/iu.test(id.replace(/[\t\n\r]/gu, ''));
}

/**
 * What each evaluation of a request says, with the request's own parts where it says nothing (section 7). A part that it
 * names is its own, but for `type`, `id` and `name` that it leaves out.
 */
export function withDefaults(defaults: EvaluationParts, own: EvaluationParts): EvaluationParts {
  const subject = completed(own.subject, defaults.subject, ['type', 'id']);
  const action = completed(own.action, defaults.action, ['name']);
  const resource = completed(own.resource, defaults.resource, ['type', 'id']);
  const { context = defaults.context } = own;
  return {
    ...(subject === undefined ? {} : { subject }),
    ...(action === undefined ? {} : { action }),
    ...(resource === undefined ? {} : { resource }),
    ...(context === undefined ? {} : { context }),
  };
}

function completed<T extends object>(
  own: T | undefined,
  other: T | undefined,
  needed: readonly (keyof T)[],
): T | undefined {
  if (own === undefined || other === undefined) return own ?? other;
  const whole = { ...own };
  for (const member of needed) {
    if (own[member] === undefined && other[member] !== undefined) whole[member] = other[member];
  }
  return whole;
}
