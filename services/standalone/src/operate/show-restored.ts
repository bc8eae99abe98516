import type { RestoredService } from './restore.js';

/** Lines of one service that are shown; the others are counted. */
const SHOWN = 200;

/** What the database alone holds: nothing tells what of it changed since the copy. */
const NEVER_TOLD = [
  'users: added, removed, or given another role or password since the copy',
  'destinations of alerts and their messages, acknowledgements in the inbox',
];

/** What was taken from the topics, or would be, and what no topic holds; for people. */
export function showRestored(services: readonly RestoredService[], dryRun: boolean): string {
  const lines = services.flatMap(({ name, adopted }) => {
    const shown = adopted.slice(0, SHOWN);
    const more = adopted.length - shown.length;
    const all = [...shown, ...(more > 0 ? [`and ${more} more`] : [])];
    return (all.length === 0 ? ['nothing: it has what the topics tell'] : all).map(
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
    ...NEVER_TOLD.map((line) => `- ${line}`),
    '',
  ].join('\n');
}
