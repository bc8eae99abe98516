import type { LandedTransaction } from '../../ledger/rows.js';
import { parseTransaction } from '../../bank/wire.js';
import { encodeMeta, encodeTransaction } from '../encode-transaction.js';
import { requireContextSlot, withContext } from '../method.js';
import type { LocalNode, Method } from '../method.js';
import { addressAt, configAt, countAt, historyCommitmentOf, signatureOf } from '../params.js';
import type { Config } from '../params.js';
import { invalidParams, RpcError } from '../rpc-error.js';
import { blockTime } from './cluster.js';

const MOST_STATUSES = 256;
const MOST_SIGNATURES = 1_000;
/** Slots for which a status is known without a search of the history. */
const STATUS_CACHE_SLOTS = 150;

export const HISTORY_METHODS: Readonly<Record<string, Method>> = {
  getSignatureStatuses: (node, params) => {
    const signatures = params[0];
    const config = configAt(params, 1);
    if (!Array.isArray(signatures)) throw invalidParams('Invalid params: signatures must be an array');
    if (signatures.length > MOST_STATUSES) throw invalidParams(`Too many inputs provided; max ${MOST_STATUSES}`);
    const oldest = config['searchTransactionHistory'] === true ? 0 : node.slots.at('finalized') - STATUS_CACHE_SLOTS;
    const statuses = signatures.map((signature) => {
      const landed = node.ledger.bySignature(signatureOf(signature));
      return landed === null || landed.slot < oldest ? null : statusOf(node, landed);
    });
    return withContext(node, { commitment: 'processed' }, statuses);
  },

  getSignaturesForAddress: (node, params) => {
    const address = addressAt(params, 0);
    const config = configAt(params, 1);
    requireContextSlot(node, config);
    const { before, until, limit } = config;
    const most = limit === undefined || limit === null ? MOST_SIGNATURES : countAt([limit], 0, 'limit');
    if (most === 0 || most > MOST_SIGNATURES) throw invalidParams(`Invalid limit; max ${MOST_SIGNATURES}`);
    const found = node.ledger.ofAddress({
      address,
      upToSlot: node.slots.at(historyCommitmentOf(config)),
      before: before === undefined || before === null ? null : signatureOf(before),
      until: until === undefined || until === null ? null : signatureOf(until),
      limit: most,
    });
    return found.map((landed) => ({
      signature: landed.signature,
      slot: landed.slot,
      err: landed.failure,
      memo: memoColumn(landed),
      blockTime: landed.blockTime,
      confirmationStatus: node.slots.commitmentOf(landed.slot),
    }));
  },

  getTransaction: (node, params) => {
    const config = encodingConfig(params[1]);
    const upToSlot = node.slots.at(historyCommitmentOf(config));
    const landed = node.ledger.bySignature(signatureOf(params[0]));
    if (landed === null || landed.slot > upToSlot) return null;
    return { slot: landed.slot, blockTime: landed.blockTime, ...encodeWithMeta(landed, config) };
  },

  getBlock: (node, params) => {
    const slot = countAt(params, 0, 'slot');
    const config = encodingConfig(params[1]);
    if (slot > node.slots.at(historyCommitmentOf(config))) {
      throw new RpcError(-32004, `Block not available for slot ${slot}`);
    }
    const landed = node.ledger.bySlot(slot);
    return {
      blockhash: node.slots.blockhash(slot),
      previousBlockhash: node.slots.blockhash(Math.max(0, slot - 1)),
      parentSlot: Math.max(0, slot - 1),
      blockHeight: slot,
      blockTime: blockTime(node, slot),
      ...blockContents(landed, config),
      ...(config['rewards'] === false ? {} : { rewards: [] }),
    };
  },
};

function statusOf(node: LocalNode, landed: LandedTransaction) {
  const commitment = node.slots.commitmentOf(landed.slot);
  return {
    slot: landed.slot,
    confirmations: commitment === 'finalized' ? null : node.slots.at('processed') - landed.slot,
    err: landed.failure,
    status: landed.failure === null ? { Ok: null } : { Err: landed.failure },
    confirmationStatus: commitment,
  };
}

/** In the format of nodes: `[length in bytes] text`, several joined by `; `. */
function memoColumn({ memos }: LandedTransaction): string | null {
  return memos.length === 0 ? null : memos.map((memo) => `[${Buffer.byteLength(memo)}] ${memo}`).join('; ');
}

/** The second parameter may be only the encoding. */
function encodingConfig(value: unknown): Config {
  return typeof value === 'string' ? { encoding: value } : configAt([value], 0);
}

function encodeWithMeta(landed: LandedTransaction, config: Config): Record<string, unknown> {
  const transaction = parseTransaction(landed.wire);
  const newest = config['maxSupportedTransactionVersion'];
  if (transaction.version !== 'legacy' && newest !== 0) {
    throw new RpcError(
      -32015,
      `Transaction version (${transaction.version}) is not supported by the requesting client. ` +
        'Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": 0',
    );
  }
  return {
    transaction: encodeTransaction(transaction, landed, config['encoding']),
    meta: encodeMeta(landed),
    ...(newest === undefined || newest === null ? {} : { version: transaction.version }),
  };
}

function blockContents(landed: readonly LandedTransaction[], config: Config): Record<string, unknown> {
  switch (config['transactionDetails']) {
    case 'none':
      return {};
    case 'signatures':
      return { signatures: landed.map(({ signature }) => signature) };
    case undefined:
    case null:
    case 'full':
      return { transactions: landed.map((one) => encodeWithMeta(one, config)) };
    default:
      throw invalidParams('Invalid params: transactionDetails is full, signatures or none here');
  }
}
