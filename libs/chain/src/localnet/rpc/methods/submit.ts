import { decodeBase58 } from '../../../base58.js';
import type { Execution } from '../../bank/engine.js';
import { LARGEST_AIRDROP } from '../../bank/faucet.js';
import { failureSentence } from '../../bank/transaction-error.js';
import type { Submission } from '../../bank/bank.js';
import { requireContextSlot } from '../method.js';
import type { Method } from '../method.js';
import { addressAt, bytesOf, configAt, countAt, stringAt, transactionOf } from '../params.js';
import { invalidParams, RpcError } from '../rpc-error.js';

export const SUBMIT_METHODS: Readonly<Record<string, Method>> = {
  sendTransaction: async (node, params) => {
    const config = configAt(params, 1);
    requireContextSlot(node, config);
    const wire = bytesOf(stringAt(params, 0, 'transaction'), config['encoding']);
    const transaction = transactionOf(wire);
    answerSubmission(await node.bank.submit(transaction, wire, { preflight: config['skipPreflight'] !== true }));
    return transaction.signatures[0];
  },

  requestAirdrop: async (node, params) => {
    const to = decodeBase58(addressAt(params, 0)) ?? new Uint8Array(32);
    const lamports = countAt(params, 1, 'lamports');
    if (lamports === 0 || lamports > LARGEST_AIRDROP) {
      throw invalidParams(`Invalid params: an airdrop gives 1 to ${LARGEST_AIRDROP} lamports`);
    }
    const { bank, slots } = node;
    const transaction = bank.faucet.transfer(to, lamports, slots.blockhash(slots.at('processed')));
    const wire = Buffer.concat([Buffer.from([1]), ...transaction.signatureBytes, transaction.message]);
    answerSubmission(await bank.submit(transaction, wire, { preflight: true }));
    return transaction.signatures[0];
  },
};

/** @throws RpcError -32002, -32003, -32005 unless the transaction was accepted */
function answerSubmission(submission: Submission): void {
  if (submission.kind === 'taken') return;
  if (submission.kind === 'unhealthy') {
    throw new RpcError(-32005, `Node is unhealthy: ${submission.why}`, { numSlotsBehind: null });
  }
  const { execution } = submission;
  if (execution.failure === 'SignatureFailure') {
    throw new RpcError(-32003, 'Transaction signature verification failure');
  }
  const sentence = failureSentence(execution.failure ?? 'unknown');
  throw new RpcError(-32002, `Transaction simulation failed: ${sentence}`, {
    ...outcomeOf(execution),
    accounts: null,
    innerInstructions: null,
  });
}

function outcomeOf(execution: Execution) {
  const { failure, logs, unitsConsumed, returnData } = execution;
  return { err: failure, logs, unitsConsumed, returnData };
}
