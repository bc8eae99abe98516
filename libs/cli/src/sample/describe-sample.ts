import { SAMPLE_DELAY_SLOTS, type Sample } from '@countersign/evidence';
import { oneLine } from '../verify-file/describe-package.js';
import type { SampleReport } from './take-sample.js';

/** The report as text: block and rule, drawn events, checks. */
export function sampleText(file: string, { sample, checked, notChecked, problems, exitCode }: SampleReport): string {
  const lines = [file];
  if (sample !== null) lines.push(...describe(sample).map((line) => `  ${oneLine(line)}`));
  lines.push('');
  const section = (title: string, mark: string, given: readonly string[]): void => {
    if (given.length > 0) lines.push(title, ...given.map((line) => `  ${mark}  ${oneLine(line)}`), '');
  };
  section('Checked', 'ok', checked);
  section('Not checked', '--', notChecked);
  section('Wrong', '!!', problems.slice(0, SHOWN_PROBLEMS));
  lines.push(VERDICTS[exitCode] ?? '');
  return `${lines.join('\n')}\n`;
}

const SHOWN_PROBLEMS = 5;
const VERDICTS: Readonly<Record<number, string>> = {
  0: 'DRAWN: this is the sample of the package.',
  1: 'REFUSED: do not rely on this.',
  2: 'NOT EVERYTHING WAS CHECKED: see above.',
};

function describe({ package: pkg, rule, request, anchor, block, seed, populationSize, selected }: Sample): string[] {
  const time = block.blockTime === null ? 'time not asked' : new Date(block.blockTime * 1000).toISOString();
  const of = request.population === 'checks' ? 'checks' : 'events';
  return [
    `report ${pkg.reportId}, events from ${pkg.range.from} to ${pkg.range.to}`,
    `rule ${rule}: the first block from ${SAMPLE_DELAY_SLOTS} slots behind the report's transaction on, not before the end of the range${request.notBefore === null ? '' : ` nor before ${request.notBefore}`}`,
    `transaction ${anchor.txSignature} on ${anchor.network}, slot ${anchor.slot ?? 'not asked'}`,
    `block ${block.slot}, ${block.blockhash}, ${time}`,
    `seed ${seed}`,
    `${selected.length} of ${populationSize} ${of}, by the smallest SHA-256 of seed and event id`,
    ...selected.map(
      ({ rank, index, eventId, agentId, sequence, type, outcome, occurredAt }) =>
        `${String(rank).padStart(4)}  ${eventId}  ${occurredAt}  ${type}${outcome === null ? '' : ` ${outcome}`}  agent ${agentId} no. ${sequence}, events[${index}]`,
    ),
  ];
}
