import type { RestoredService } from './restore.js';

/** Maximum number of lines shown per service; the others are counted. */
const SHOWN = 200;

/** Data that is only in the database: changes since the copy cannot be recovered. */
const NEVER_PUBLISHED = [
  'users: added, removed, or given another role or password since the copy',
  'destinations of alerts and their messages, acknowledgements in the inbox',
];

/** Report of a restore, or of a dry run: what was taken from the topics, and what no topic holds. */
export function showRestored(services: readonly RestoredService[], dryRun: boolean): string {
  const lines = services.flatMap(({ name, adopted }) => {
    const shown = adopted.slice(0, SHOWN);
    const more = adopted.length - shown.length;
    const all = [...shown, ...(more > 0 ? [`and ${more} more`] : [])];
    return (all.length === 0 ? ['nothing: it has the published state'] : all).map(
      (line, i) => `${i === 0 ? name.padEnd(12) : ' '.repeat(12)}${line}`,
    );
  });
  const lost = services.flatMap((service) => service.lost);
  return [
    dryRun ? 'Would be taken from the topics:' : 'Taken from the topics:',
    ...lines,
    ...(lost.length === 0 ? [] : ['', 'Lost since the copy:', ...lost.map((line) => `- ${line}`)]),
    '',
    'No topic holds these, so they are as they were in the copy:',
    ...NEVER_PUBLISHED.map((line) => `- ${line}`),
    '',
  ].join('\n');
}
