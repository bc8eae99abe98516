import type { Bank } from '../bank/bank.js';
import type { Slots } from '../bank/slots.js';
import type { Ledger } from '../ledger/ledger.js';
import { commitmentOf } from './params.js';
import type { Config, Params } from './params.js';
import { RpcError } from './rpc-error.js';

/** State of the methods: one network of one node. */
export interface LocalNode {
  readonly bank: Bank;
  readonly ledger: Ledger;
  readonly slots: Slots;
}

/** One method of Solana's JSON-RPC. @throws RpcError */
export type Method = (node: LocalNode, params: Params) => unknown;

export const API_VERSION = '0.1.0-localnet';

/** The envelope of answers that depend on the slot they were read in. */
export function withContext(node: LocalNode, config: Config, value: unknown): unknown {
  return { context: { slot: node.slots.at(commitmentOf(config)), apiVersion: API_VERSION }, value };
}

/** @throws RpcError -32016 when the caller wants a newer state than there is */
export function requireContextSlot(node: LocalNode, config: Config): void {
  const { minContextSlot } = config;
  const slot = node.slots.at(commitmentOf(config));
  if (typeof minContextSlot === 'number' && minContextSlot > slot) {
    throw new RpcError(-32016, 'Minimum context slot has not been reached', { contextSlot: slot });
  }
}
