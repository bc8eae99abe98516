import type { ErrorObject } from 'ajv/dist/2020.js';
import { unknownField } from '@countersign/contracts';

const LONGEST_NAME = 64;

/** Descriptions for patterns of contracts. */
const KNOWN_PATTERNS: readonly (readonly [probe: string, words: string])[] = [
  ['^key_[0-9a-f]{16}$', 'key_ and 16 lower-case hex characters'],
  ['^msg_', 'the id of a message: msg_ and 40 hex characters'],
  ['^apr_', 'an approval id: apr_ and a UUID'],
  ['[0-9a-fA-F]{8}-[0-9a-fA-F]{4}', 'a UUID'],
  ['^[Cc][Ss][Nn]', 'CSN-XXXX-XXXX-XXXX-XXXX, its check character included'],
  ['^[0-9a-f]{32}$', 'a trace id: 32 lower-case hex characters'],
  ['^[0-9a-f]{64}$', '64 lower-case hex characters'],
  ['^[a-z0-9][a-z0-9_-]{0,63}$', 'an id: up to 64 lower-case letters, digits, - and _'],
  ['[^~/]|~[01]', 'a JSON Pointer to a member of the action, as /payload/amount'],
  ['^[a-z][a-z0-9_]{0,63}$', 'a name: a lower-case letter, then letters, digits and _'],
  ['^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 'a date, as 2026-01-31'],
  ['^[1-9][0-9]{0,14}$', 'a version: a whole number from 1'],
  ['^\\d{1,9}(?:\\.\\d{1,9})?$', 'a decimal, such as 500.00'],
  ['^[A-Za-z0-9_-]{43}$', 'the token of a sign-in link: 43 characters'],
  ['^[A-Za-z0-9_-]{64}$', 'the token of a link that sets a password: 64 characters'],
  ['^[^\\s@]{1,64}@', 'an e-mail address, as name@example.com'],
  ['^[\\x21-\\x7e]{1,255}$', '1 to 255 visible ASCII characters'],
  ['^[\\x21-\\x7e]+$', 'visible ASCII characters'],
  ['^[!-~](?:[ -~]*[!-~])?$', 'a client id of OAuth: visible ASCII characters, and blanks between them'],
  ['^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$', 'a bucket: 3 to 63 lower-case letters, digits, . and -'],
  ['^[a-z0-9-]{1,64}$', 'a region: 1 to 64 lower-case letters, digits and -'],
  ['^[A-Za-z0-9._=/-]*$', 'the beginning of a key: letters, digits, . _ = / and -'],
  ['z]{32,44}$', 'an address: 32 bytes in base58'],
  ['z]{64,88}$', 'the signature of a transaction: 64 bytes in base58'],
  ['^\\d{4}-\\d{2}-\\d{2}T', 'an ISO 8601 time with a zone, as 2026-01-31T12:00:00.000Z'],
];

const plural = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : noun.endsWith('y') ? '' : 's'}`;

function segmentName(segment: string): string {
  return /^[\w.$@-]+$/.test(segment) && segment.length <= LONGEST_NAME ? segment : '…';
}

/** `/action/tags/0` becomes `action.tags[0]`. Long or unusual names are shown as `…`. */
function fieldName(instancePath: string): string {
  let name = '';
  for (const raw of instancePath.split('/').slice(1)) {
    const segment = raw.replaceAll('~1', '/').replaceAll('~0', '~');
    if (/^\d+$/.test(segment)) name += `[${segment}]`;
    else name += (name === '' ? '' : '.') + segmentName(segment);
  }
  return name;
}

function article(type: string): string {
  return type === 'null' ? 'null' : /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

function typeWords(types: readonly string[]): string {
  return [...new Set(types)].map(article).join(' or ');
}

/** The requirement of a schema keyword, as the rest of a sentence that begins with the field's name. */
function demand(error: ErrorObject): string {
  const params = error.params as Record<string, unknown>;
  const limit = Number(params['limit']);
  switch (error.keyword) {
    case 'type':
      return `must be ${typeWords([params['type']].flat() as string[])}`;
    case 'enum':
      return `must be one of ${(params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(params['allowedValue'])}`;
    case 'pattern':
      return `must be ${patternWords(String(params['pattern']))}`;
    case 'minLength':
      return `must have at least ${plural(limit, 'character')}`;
    case 'maxLength':
      return `must have at most ${plural(limit, 'character')}`;
    case 'minItems':
      return `must have at least ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
    case 'maxItems':
      return `must have at most ${limit} ${limit === 1 ? 'entry' : 'entries'}`;
    case 'minProperties':
      return `must have at least ${plural(limit, 'field')}`;
    case 'maxProperties':
      return `must have at most ${plural(limit, 'field')}`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    case 'exclusiveMinimum':
      return `must be greater than ${limit}`;
    case 'exclusiveMaximum':
      return `must be less than ${limit}`;
    case 'multipleOf':
      return `must be a multiple of ${String(params['multipleOf'])}`;
    case 'uniqueItems':
      return 'must not have the same entry twice';
    default:
      return 'does not have a form that is accepted';
  }
}

function patternWords(pattern: string): string {
  if (pattern === '\\S') return 'more than white space';
  const known = KNOWN_PATTERNS.find(([probe]) => pattern.includes(probe));
  return known === undefined ? `text that matches ${pattern}` : known[1];
}

const DEPENDING = new Set(['anyOf', 'oneOf', 'if', 'not', 'propertyNames']);

/** Picks the error at the deepest place among those of several branches; types and names at one place are combined. */
function mostTelling(errors: readonly ErrorObject[]): ErrorObject {
  const leaves = errors.filter((error) => !DEPENDING.has(error.keyword));
  const [first] = leaves.length > 0 ? leaves : errors;
  const depth = (error: ErrorObject): number => error.instancePath.split('/').length;
  const deepest = leaves.reduce((best, error) => (depth(error) > depth(best) ? error : best), first!);
  const here = leaves.filter((error) => error.instancePath === deepest.instancePath);
  const telling = here.find((error) => error.keyword !== 'type') ?? deepest;
  if (telling.keyword === 'required') {
    const missing = here.filter((error) => error.keyword === 'required');
    const names = missing.map((error) => segmentName((error.params as { missingProperty: string }).missingProperty));
    return { ...telling, params: { missingProperties: [...new Set(names)] } };
  }
  if (telling.keyword !== 'type') return telling;
  const types = here.flatMap((error) => (error.params as { type: string | string[] }).type);
  return { ...telling, params: { type: types } };
}

/** The known fields of an object that has an unknown one. */
function knownTo({ parentSchema }: ErrorObject): readonly string[] {
  return Object.keys((parentSchema?.['properties'] ?? {}) as object);
}

/**
 * Describes a problem to the client: the field, and what is expected of it. Values are never repeated.
 * @param errors errors of ajv for one value
 * @param whole name of the value as a whole: `the body`
 * @param prefix precedes a field's name: `query parameter `
 */
export function schemaProblem(errors: readonly ErrorObject[], whole: string, prefix = ''): string {
  const error = mostTelling(errors);
  const at = fieldName(error.instancePath);
  const params = error.params as Record<string, unknown>;
  const within = prefix + (at === '' ? '' : `${at}.`);
  const inside = (name: unknown): string => within + segmentName(String(name));
  switch (error.keyword) {
    case 'required':
      return `${(params['missingProperties'] as string[]).map((name) => within + name).join(' or ')} is required`;
    case 'dependentRequired':
      return `${inside(params['missingProperty'])} is required beside ${segmentName(String(params['property']))}`;
    case 'additionalProperties':
      return prefix + unknownField(String(params['additionalProperty']), knownTo(error), at === '' ? '' : `${at}.`);
    case 'unevaluatedProperties':
      return prefix + unknownField(String(params['unevaluatedProperty']), knownTo(error), at === '' ? '' : `${at}.`);
    default:
      return `${at === '' ? whole : prefix + at} ${demand(error)}`;
  }
}
