import { LAYOUT } from '../layout.js';
import { offsetOf, partitionOf } from '../places.js';
import { ALERTS, ANCHORS, ARCHIVE, FACTS, IDENTITY, POLICY, REPORTS } from './scratch-schema.js';

const COLLECTIONS: readonly (readonly [file: string, prefix: string])[] = [
  [LAYOUT.archive, 'audit_log'],
  [LAYOUT.anchors, 'anchoring'],
  [LAYOUT.policy, 'policy'],
  [LAYOUT.identity, 'identity'],
  [LAYOUT.reports, 'reporting'],
  [LAYOUT.facts, 'verification'],
  [LAYOUT.alerts, 'alerts'],
];

/** Words that are names of collections behind the name of a file. */
const TABLES: ReadonlySet<string> = new Set(
  [ALERTS, ANCHORS, ARCHIVE, FACTS, IDENTITY, POLICY, REPORTS].flatMap(({ tables, afterwards }) =>
    [...`${tables}${afterwards}`.matchAll(/CREATE (?:TABLE|VIEW) (\w+)/g)].map(([, name = '']) => name),
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
          return TABLES.has(word) ? `MongoDB ${prefix}_${word}` : `MongoDB ${prefix}_* ${word}`;
        },
      ),
    placed,
  )
    .replaceAll(`${LAYOUT.packages}/`, 'GridFS reporting_packages/')
    .replaceAll(LAYOUT.log, 'Kafka');
}
