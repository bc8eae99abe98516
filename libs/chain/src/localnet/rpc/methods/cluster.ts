import { BLOCKHASH_LIFE, SLOT_MS } from '../../bank/slots.js';
import { API_VERSION, requireContextSlot, withContext } from '../method.js';
import type { LocalNode, Method } from '../method.js';
import { commitmentOf, configAt } from '../params.js';
import type { Params } from '../params.js';
import { RpcError } from '../rpc-error.js';

const SLOTS_PER_EPOCH = 432_000;

const slotNow = (node: LocalNode, params: Params): number => {
  const config = configAt(params, 0);
  requireContextSlot(node, config);
  return node.slots.at(commitmentOf(config));
};

export const CLUSTER_METHODS: Readonly<Record<string, Method>> = {
  getHealth: ({ bank }) => {
    if (bank.broken() !== null) throw new RpcError(-32005, 'Node is unhealthy', { numSlotsBehind: null });
    return 'ok';
  },
  getVersion: () => ({ 'solana-core': API_VERSION, 'feature-set': 0 }),
  getGenesisHash: ({ ledger }) => ledger.genesis.genesisHash,
  getSlot: slotNow,
  // Every slot has a block.
  getBlockHeight: slotNow,
  getFirstAvailableBlock: () => 0,

  getEpochInfo: (node, params) => {
    const slot = slotNow(node, params);
    return {
      absoluteSlot: slot,
      blockHeight: slot,
      epoch: Math.floor(slot / SLOTS_PER_EPOCH),
      slotIndex: slot % SLOTS_PER_EPOCH,
      slotsInEpoch: SLOTS_PER_EPOCH,
      transactionCount: node.ledger.count,
    };
  },

  getLatestBlockhash: (node, params) => {
    const config = configAt(params, 0);
    requireContextSlot(node, config);
    const slot = node.slots.at(commitmentOf(config));
    return withContext(node, config, {
      blockhash: node.slots.blockhash(slot),
      lastValidBlockHeight: slot + BLOCKHASH_LIFE,
    });
  },
};

/** Seconds since the epoch: the recorded one of a transaction in the slot, else computed from the slot's number. */
export function blockTime(node: LocalNode, slot: number): number {
  const recorded = node.ledger.bySlot(slot)[0]?.blockTime;
  return recorded ?? Math.floor((node.ledger.genesis.genesisMs + slot * SLOT_MS) / 1000);
}
