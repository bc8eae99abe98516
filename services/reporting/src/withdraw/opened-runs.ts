import type { PackageEvent } from '@countersign/contracts';
import { COMMITMENT_KINDS, shownValue } from '@countersign/evidence';
import type { OpenedRun } from '../store/port.js';

/** The runs of each agent whose content a package opens; an opening without its value reveals no content. */
export function openedRuns(events: readonly Pick<PackageEvent, 'event' | 'sequence' | 'opened'>[]): OpenedRun[] {
  const runs: OpenedRun[] = [];
  for (const { event, sequence, opened } of events) {
    if (COMMITMENT_KINDS.every((kind) => shownValue(opened[kind]).value === undefined)) continue;
    const last = runs.at(-1);
    if (last?.agentId === event.agentId && last.last === sequence - 1)
      runs[runs.length - 1] = { ...last, last: sequence };
    else runs.push({ agentId: event.agentId, first: sequence, last: sequence });
  }
  return runs;
}

/** True if any of these sequences is in one of the agent's runs. */
export function opensAny(runs: readonly OpenedRun[], agentId: string, sequences: readonly number[]): boolean {
  return runs.some(
    (run) => run.agentId === agentId && sequences.some((sequence) => run.first <= sequence && sequence <= run.last),
  );
}
