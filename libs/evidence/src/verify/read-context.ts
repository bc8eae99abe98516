import type { LeafEvent } from '@countersign/contracts';
import { MOST_MEMBERS } from '../leaf/commitment.js';
import { isIdentifier } from '../leaf/leaf-fields.js';
import { isRecord, isWhole, read, refuse, type Reading } from '../reading.js';
import {
  anything,
  both,
  count,
  exactly,
  instant,
  list,
  name,
  nullable,
  object,
  oneOf,
  positive,
  recordOf,
  type Shape,
  text,
  uuid,
  where,
} from './shape.js';

/** Code points that the name of a principal, a session or an actor may have. */
const LONGEST = 200;

const person = where(isPerson, `text of 1 to ${LONGEST} characters`);

const DECIMAL = /^[0-9]+(\.[0-9]{1,9})?$/;
const decimal = where((value) => typeof value === 'string' && DECIMAL.test(value), 'a decimal as text');

const offset = where(
  (value) => typeof value === 'number' && Number.isInteger(value) && Math.abs(value) <= 1440,
  'a whole number from -1440 to 1440',
);

const seen = object({
  order: positive,
  frozen: where((value) => typeof value === 'boolean', 'true or false'),
  plan: object({ used: count, cap: nullable(count), expires: nullable(instant) }),
  spent: object({ day: count, month: count }),
  rate: nullable(count),
  limits: recordOf(decimal),
});

const TRACE = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

const ascending = where((value) => {
  const items = value as readonly string[];
  return items.every((item, i) => i === 0 || items[i - 1]! < item);
}, 'ascending, with nothing twice');

/** Members of the context of a check; others may be added. */
const MEMBERS: Readonly<Record<string, Shape>> = {
  request_time: exactly({ seconds: count, offsets: recordOf(offset) }),
  effect: oneOf('allow', 'observe', 'deny', 'approve', 'modify', 'defer'),
  engine: exactly({ engine: text, detectors: text }),
  seen,
  facts: both(list(name), ascending),
  principal: person,
  issuer: person,
  session: person,
  trace: where((value) => typeof value === 'string' && TRACE.test(value), 'a traceparent'),
  actors: both(
    list(object({ id: person })),
    where(
      (value) => isWhole((value as readonly unknown[]).length, 1) && (value as readonly unknown[]).length <= 16,
      '1 to 16 objects',
    ),
  ),
  approval: object({ id: uuid }),
  parent: uuid,
};

const REQUIRED = ['request_time', 'effect', 'engine', 'seen'] as const;

const whole: Shape = object(Object.fromEntries(REQUIRED.map((required) => [required, anything])));

/**
 * Reads the value of a leaf's `context`, as far as it is shown: an object of identifiers; of a check also the form of
 * the members that FORMAT.md names, and that `effect` says what the leaf says.
 * @param shown the members that are shown
 * @param complete true if no member is withheld
 */
export function readContext(
  shown: unknown,
  complete: boolean,
  leaf: Pick<LeafEvent, 'type' | 'allowed' | 'violation_type'>,
): Reading<Readonly<Record<string, unknown>>> {
  if (!isRecord(shown)) return refuse('a context must be an object');
  const names = Object.keys(shown);
  if (names.length < 1 || names.length > MOST_MEMBERS)
    return refuse(`a context must have 1 to ${MOST_MEMBERS} members`);
  const odd = names.find((one) => !isIdentifier(one));
  if (odd !== undefined) return refuse(`${JSON.stringify(odd)} is not an identifier`);
  if (leaf.type !== 'action.checked') return read(shown);
  for (const [one, shape] of Object.entries(MEMBERS)) {
    if (!Object.hasOwn(shown, one)) continue;
    const fault = shape(shown[one]);
    if (fault !== null) return refuse(`${one}${fault.path} must be ${fault.form}`);
  }
  const missing = complete ? whole(shown) : null;
  if (missing !== null) return refuse(`${missing.path.slice(1)} must be ${missing.form}`);
  if (Object.hasOwn(shown, 'effect') && !agrees(shown['effect'], leaf)) {
    return refuse('effect contradicts the event');
  }
  return read(shown);
}

function agrees(effect: unknown, { allowed, violation_type }: Pick<LeafEvent, 'allowed' | 'violation_type'>): boolean {
  if (allowed === true) return effect === (violation_type === null ? 'allow' : 'observe');
  if (violation_type === 'approval_required') return effect === 'approve';
  return effect === 'deny' || effect === 'modify' || effect === 'defer';
}

function isPerson(value: unknown): boolean {
  if (typeof value !== 'string' || value === '' || value.length > 2 * LONGEST) return false;
  return value.length <= LONGEST || [...value].length <= LONGEST;
}
