import { LAYOUT } from '../layout.js';
import { offsetOf, partitionOf } from '../places.js';
import { POLICY } from './scratch-schema.js';

const COLLECTIONS: readonly (readonly [file: string, prefix: string])[] = [
  [LAYOUT.archive, 'audit_log'],
  [LAYOUT.anchors, 'anchoring'],
  [LAYOUT.policy, 'policy'],
  [LAYOUT.identity, 'identity_doc'],
  [LAYOUT.reports, 'reporting_doc'],
  [LAYOUT.facts, 'verification_doc'],
  [LAYOUT.alerts, 'alerts_doc'],
];

/** Those of the archive and of anchoring. */
const OWN_TABLES = (
  'accounts agent_windows agents arrivals classes events hours leaves openings positions reports segments submissions ' +
  'window_agents window_leaves windows'
).split(' ');

/** Words that are names of collections behind the name of a file. */
const TABLES: ReadonlySet<string> = new Set(
  [POLICY]
    .flatMap(({ tables, afterwards }) =>
      [...`${tables}${afterwards}`.matchAll(/CREATE (?:TABLE|VIEW) (\w+)/g)].map(([, name = '']) => name),
    )
    .concat(OWN_TABLES),
);

/** Those of services that keep documents. */
const DOCUMENTS: ReadonlySet<string> = new Set(
  'accounts anchors api_keys destinations facts members messages openings outbox positions reports scopes sessions threads users'.split(
    ' ',
  ),
);

/** A place above the first partition, after a word that says what it is. */
const PLACE = /(offset |n=|lies at )(\d{13,16})\b/g;

/** Words about files and row numbers of the embedded profile in those of the distributed one. */
export function inDistributedWords(text: string): string {
  const placed = text.replace(PLACE, (all, word: string, digits: string) => {
    const place = Number(digits);
    const partition = partitionOf(place);
    return partition === 0 ? all : `${word}${offsetOf(place)} of partition ${partition}`;
  });
  return COLLECTIONS.reduce(
    (words, [file, prefix]) =>
      words.replaceAll(
        new RegExp(`${file.replaceAll('.', '\\.')}(?: (\\w+))?`, 'g'),
        (_all, word: string | undefined) => {
          if (word === undefined) return `MongoDB ${prefix}_*`;
          return (prefix.endsWith('_doc') ? DOCUMENTS : TABLES).has(word)
            ? `MongoDB ${prefix}_${word}`
            : `MongoDB ${prefix}_* ${word}`;
        },
      ),
    placed,
  )
    .replaceAll(`${LAYOUT.packages}/`, 'GridFS reporting_packages/')
    .replaceAll(LAYOUT.log, 'Kafka');
}
