import type { EvaluationParts, JsonValue } from '@countersign/contracts';

/** The members of an action that say what it is done to, by the type of the resource. */
const RESOURCE_MEMBERS: Readonly<Record<string, 'url' | 'tool_name' | 'dataScope'>> = {
  url: 'url',
  tool: 'tool_name',
  data: 'dataScope',
};

/** Members that come from other parts of the evaluation. */
const TAKEN = ['type', 'subject', 'resource'] as const;

type Members = Record<string, JsonValue>;

/** The body of `POST /v1/check` that an evaluation means: still to be judged as one. Or what to change in it. */
export function readEvaluation({ subject, action, resource, context }: EvaluationParts): object | string {
  if (subject === undefined) return 'subject is missing';
  if (action === undefined) return 'action is missing';
  if (resource === undefined) return 'resource is missing';
  if (subject.type !== 'agent') return 'subject.type must be agent';
  const given: Members = { ...action.properties };
  for (const member of TAKEN) {
    if (given[member] !== undefined) return `action.properties.${member} is not taken: it is said elsewhere`;
  }
  const asked: Members = { ...given, type: action.name, resource };
  if (subject.properties !== undefined) asked['subject'] = subject;
  const member = Object.hasOwn(RESOURCE_MEMBERS, resource.type) ? RESOURCE_MEMBERS[resource.type] : undefined;
  if (member !== undefined) {
    if ((given[member] ?? resource.id) !== resource.id) return `action.properties.${member} and resource.id differ`;
    asked[member] = resource.id;
  }
  if (context !== undefined) {
    if (given['metadata'] !== undefined) return 'send context or action.properties.metadata, not both';
    asked['metadata'] = context;
  }
  return { agentId: subject.id, action: asked };
}

/** What each evaluation of a request says, with the request's own parts where it says nothing (section 7). */
export function withDefaults(defaults: EvaluationParts, own: EvaluationParts): EvaluationParts {
  const { subject = defaults.subject, action = defaults.action, resource = defaults.resource } = own;
  const { context = defaults.context } = own;
  return {
    ...(subject === undefined ? {} : { subject }),
    ...(action === undefined ? {} : { action }),
    ...(resource === undefined ? {} : { resource }),
    ...(context === undefined ? {} : { context }),
  };
}
