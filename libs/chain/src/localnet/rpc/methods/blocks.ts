import type { LocalNode, Method } from '../method.js';
import { configAt, countAt, historyCommitmentOf } from '../params.js';
import type { Config } from '../params.js';
import { invalidParams } from '../rpc-error.js';

/** Slots that one call may span, as in real nodes. */
const WIDEST_RANGE = 500_000;

/** Lists of the slots that have a block: here every slot has one, from the first to the newest of the commitment. */
export const BLOCK_METHODS: Readonly<Record<string, Method>> = {
  getBlocks: (node, params) => {
    const first = countAt(params, 0, 'start_slot');
    // The second parameter is optional.
    const [end, config] = typeof params[1] === 'number' ? [countAt(params, 1, 'end_slot'), 2] : [null, 1];
    const newest = newestOf(node, configAt(params, config));
    const last = Math.min(end ?? newest, newest);
    if ((end ?? last) < first) return [];
    if ((end ?? last) - first > WIDEST_RANGE) throw invalidParams(`Slot range too large; max ${WIDEST_RANGE}`);
    return slotsBetween(first, last);
  },
};

function newestOf(node: LocalNode, config: Config): number {
  return node.slots.at(historyCommitmentOf(config));
}

function slotsBetween(first: number, last: number): readonly number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, n) => first + n);
}
