import { canonicalize } from '@countersign/evidence';
import type { EvaluationParts, JsonValue } from '@countersign/contracts';
import {
  fold,
  holdsAddress,
  holdsArguments,
  isAddress,
  isCallType,
  isToolType,
  memberMeant,
  surelyMeans,
} from '@countersign/policy-engine';
import type { RuledMember } from '@countersign/policy-engine';

/** The members of an action that name its object. */
type ResourceMember = 'url' | 'tool_name' | 'dataScope';

const MEMBER_OF: Readonly<Record<RuledMember, ResourceMember | null>> = {
  url: 'url',
  tool: 'tool_name',
  data_scope: 'dataScope',
  payload: null,
  cost: null,
};

const DATA = new Set([
  ...['data', 'dataset', 'file', 'files', 'filepath', 'path', 'folder', 'directory', 'table', 'column', 'database'],
  ...['schema', 'collection', 'bucket', 'index', 'view'],
]);
/** Types whose id is a host, where it looks like one. */
const PLACE = new Set([
  ...['api', 'webapi', 'restapi', 'service', 'webservice', 'server', 'host', 'hostname', 'domain', 'origin', 'target'],
  ...['site', 'website', 'web', 'page', 'webpage', 'http', 'https', 'webhook', 'address', 'route'],
]);
/** Types of {@link PLACE} whose id may otherwise be a name in lists of APIs. */
const NAMED_API = new Set(['api', 'webapi', 'restapi', 'service', 'webservice']);
/** A name with a dot or a port, an IP address, `localhost`; then nothing, or a path. */
const HOST = /^(?:[^\s/?#\\@]+\.[^\s/?#\\@]+|[^\s/?#\\@:]+:\d+|\[[\da-f:.]+\](?::\d+)?|localhost)(?:[/?#\\]|$)/iu;

/** First words of the names of actions that read their object, after `can` and `may` and a noun with a dot. */
const READS = new Set(['read', 'view', 'list', 'show', 'search', 'find', 'query', 'describe', 'inspect', 'preview']);
/** These read only as the whole name. */
const READS_ALONE = new Set(['get', 'see', 'open', 'access', 'download']);

/** After these it does something else too. */
const JOINS = new Set(['and', 'or', 'then']);

/** Members that come from other parts of the evaluation. */
const TAKEN = ['type', 'subject', 'resource'] as const;

type Members = Record<string, JsonValue>;

/** Body of a check. */
interface ReadEvaluation {
  readonly agentId: string;
  readonly action: Readonly<Members>;
}

/** The body of `POST /v1/check` that an evaluation corresponds to, not validated yet. Or what to change in it. */
export function readEvaluation({ subject, action, resource, context }: EvaluationParts): ReadEvaluation | string {
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
  // Members that rules read in an action they read in its resource too, also in another spelling.
  for (const [member, value] of Object.entries(resource.properties ?? {})) {
    if (value === null || !isOfAction(member, action.name)) {
      // For a call, as in a check; its own member counts.
      if (value !== null && isCallType(action.name) && holdsAddress(member)) asked[member] ??= value;
      continue;
    }
    if (asked[member] !== undefined && canonicalize(asked[member]) !== canonicalize(value)) {
      return `action.properties.${member} and resource.properties.${member} differ`;
    }
    asked[member] = value;
  }
  for (const member of membersFor(action.name, resource.type, resource.id, given, asked)) {
    if ((asked[member] ?? resource.id) !== resource.id) {
      const where = given[member] === undefined ? 'resource' : 'action';
      return `${where}.properties.${member} and resource.id differ`;
    }
    asked[member] = resource.id;
  }
  if (context !== undefined) {
    if (given['metadata'] !== undefined) return 'send context or action.properties.metadata, not both';
    asked['metadata'] = context;
  }
  return { agentId: subject.id, action: asked };
}

/**
 * Reports whether rules read a member of the resource as one of the action. Price and content of a resource that is
 * only read are not what the action spends or says: there only unambiguous names count.
 */
function isOfAction(member: string, name: string): boolean {
  const meant = memberMeant(member);
  if ((meant === 'cost' || meant === 'payload') && isRead(name)) return surelyMeans(member, meant);
  return meant !== null || holdsArguments(member);
}

function isRead(name: string): boolean {
  const words = wordsOf(name.split(/[.:/]/).at(-1)!);
  const [first = '', ...rest] = words[0] === 'can' || words[0] === 'may' ? words.slice(1) : words;
  if (READS.has(first)) return !rest.some((word) => JOINS.has(word));
  return READS_ALONE.has(first) && wordsOf(name).length === words.length && rest.length === 0;
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word !== '');
}

/** An address is one whatever its type is called: a synonym of the type must not evade a rule about APIs. */
function membersFor(name: string, type: string, id: string, given: Members, asked: Members): readonly ResourceMember[] {
  const member = memberFor(fold(type), type, id) ?? memberByAction(name, given, asked);
  if (member !== 'url' && isAddress(id)) return member === null ? ['url'] : [member, 'url'];
  return member === null ? [] : [member];
}

function memberFor(folded: string, type: string, id: string): ResourceMember | null {
  const meant = memberMeant(type);
  if (meant !== null && MEMBER_OF[meant] !== null) return MEMBER_OF[meant];
  if (DATA.has(folded)) return 'dataScope';
  if (!PLACE.has(folded)) return null;
  if (HOST.test(id)) return 'url';
  return NAMED_API.has(folded) && !isAddress(id) ? 'tool_name' : null;
}

/**
 * For a resource of an unknown type, the member by the action: a tool is used, data are accessed, an address is called.
 */
function memberByAction(name: string, given: Members, asked: Members): ResourceMember | null {
  if (isToolType(name)) return given['tool_name'] === undefined && given['toolName'] === undefined ? 'tool_name' : null;
  if (fold(name) === 'dataaccess') return given['dataScope'] === undefined ? 'dataScope' : null;
  // An http_call must name its url by itself.
  return isCallType(name) && !fold(name).startsWith('http') && !namesWhatIsCalled(asked) ? 'url' : null;
}

function namesWhatIsCalled(asked: Members): boolean {
  return Object.keys(asked).some((member) => holdsAddress(member) || memberMeant(member) === 'tool');
}

/**
 * The parts of each evaluation of a request, with the request's own as defaults (section 7). A part that it names is
 * its own, except for omitted `type`, `id` and `name`.
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
