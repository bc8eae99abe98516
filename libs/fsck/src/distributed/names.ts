import { LAYOUT } from '../layout.js';
import { offsetOf, partitionOf } from '../places.js';

const COLLECTIONS: readonly (readonly [file: string, prefix: string])[] = [
  [LAYOUT.archive, 'audit_log'],
  [LAYOUT.holds, 'audit_log_doc'],
  [LAYOUT.anchors, 'anchoring'],
  [LAYOUT.policy, 'policy_doc'],
  [LAYOUT.identity, 'identity_doc'],
  [LAYOUT.reports, 'reporting_doc'],
  [LAYOUT.facts, 'verification_doc'],
  [LAYOUT.alerts, 'alerts_doc'],
];

/** Names of collections of the archive and of anchoring, after the name of a file. */
const TABLES: ReadonlySet<string> = new Set(
  (
    'accounts agent_windows agents arrivals classes events hours leaves openings positions reports segments submissions ' +
    'window_agents window_leaves windows'
  ).split(' '),
);

/** Those of services that keep documents. */
const DOCUMENTS: ReadonlySet<string> = new Set(
  (
    'account_totals accounts agent_totals agents anchors api_keys claims destinations facts hold_gates holds members ' +
    'messages openings ' +
    'outbox positions reports scopes seen_events sessions stream_cursors stream_states streams threads users'
  ).split(' '),
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
