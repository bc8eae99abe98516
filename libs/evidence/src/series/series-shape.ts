import { FRAMEWORKS, SERIES_CHANGES } from '@countersign/contracts';
import { auditShape, TALLIES, timestampShape } from '../verify/package-shape.js';
import {
  both,
  count,
  exactly,
  hash,
  instant,
  list,
  name,
  nullable,
  object,
  oneOf,
  positive,
  type Shape,
  text,
  uuid,
  where,
} from '../verify/shape.js';

const range = both(
  object({ from: instant, to: instant }),
  where((value) => {
    const { from, to } = value as {
      readonly from: string;
      readonly to: string;
    };
    return from < to;
  }, 'with from before to'),
);

const counts = { events: count, outside: count, ...TALLIES };

const ordered = where((value) => {
  const { firstSequence, lastSequence } = value as {
    readonly firstSequence: unknown;
    readonly lastSequence: unknown;
  };
  return firstSequence === null || lastSequence === null
    ? firstSequence === lastSequence
    : (firstSequence as number) <= (lastSequence as number);
}, 'with both sequences, in their order, or neither');

const agent: Shape = both(
  exactly({
    id: uuid,
    name: text,
    firstSequence: nullable(positive),
    lastSequence: nullable(positive),
    windows: count,
    windowsFrom: nullable(instant),
    windowsTo: nullable(instant),
  }),
  ordered,
);

const moment = exactly({ sequence: positive, occurredAt: instant });
const day = where((value) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value), 'a date');

const entry: Shape = exactly({
  reportId: uuid,
  sha256: hash,
  issuedAt: instant,
  range,
  frameworks: list(oneOf(...FRAMEWORKS)),
  mapping: exactly({ version: text, sha256: hash }),
  scopeSha256: hash,
  counts: exactly(counts),
  agents: list(agent),
  denials: list(
    exactly({
      agentId: uuid,
      violationType: name,
      rule: nullable(text),
      day,
      count: positive,
      first: moment,
      last: moment,
    }),
  ),
});

const once = where((value) => {
  const packages = value as readonly {
    readonly reportId: string;
    readonly sha256: string;
  }[];
  const { size } = new Set(packages.flatMap(({ reportId, sha256 }) => [reportId, sha256]));
  return packages.length > 0 && size === 2 * packages.length;
}, 'packages, at least one and none of them twice');

/** The form of every member of a series. */
export const seriesShape: Shape = object(
  {
    kind: oneOf('series'),
    seriesId: uuid,
    generator: object({ name: text, version: text }),
    range,
    packages: both(list(entry), once),
    agents: list(
      both(
        object({
          id: uuid,
          name: text,
          firstSequence: nullable(positive),
          lastSequence: nullable(positive),
          count,
        }),
        ordered,
      ),
    ),
    totals: object({ packages: count, ...counts }),
    changes: list(object({ reportId: uuid, member: oneOf(...SERIES_CHANGES) })),
    audit: auditShape,
    timestamp: timestampShape,
  },
  { signedPages: oneOf(true) },
);
