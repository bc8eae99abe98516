import { decodeBase58 } from '../../../base58.js';
import type { Account, Execution } from '../../bank/engine.js';
import { LARGEST_AIRDROP } from '../../bank/faucet.js';
import { BLOCKHASH_LIFE } from '../../bank/slots.js';
import { failureSentence } from '../../bank/transaction-error.js';
import type { Submission } from '../../bank/bank.js';
import type { WireTransaction } from '../../bank/wire.js';
import { requireContextSlot, withContext } from '../method.js';
import type { LocalNode, Method } from '../method.js';
import { addressAt, bytesOf, configAt, countAt, stringAt, transactionOf } from '../params.js';
import type { Config } from '../params.js';
import { invalidParams, RpcError } from '../rpc-error.js';
import { encodeAccount } from './accounts.js';

export const SUBMIT_METHODS: Readonly<Record<string, Method>> = {
  sendTransaction: async (node, params) => {
    const config = configAt(params, 1);
    requireContextSlot(node, config);
    const wire = bytesOf(stringAt(params, 0, 'transaction'), config['encoding']);
    const transaction = transactionOf(wire);
    answerSubmission(await node.bank.submit(transaction, wire, { preflight: config['skipPreflight'] !== true }));
    return transaction.signatures[0];
  },

  simulateTransaction: (node, params) => {
    const config = configAt(params, 1);
    requireContextSlot(node, config);
    const verifySignatures = config['sigVerify'] === true;
    const replace = config['replaceRecentBlockhash'] === true;
    if (verifySignatures && replace) throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
    const given = transactionOf(bytesOf(stringAt(params, 0, 'transaction'), config['encoding']));
    const transaction = replace ? withNewBlockhash(node, given) : given;
    const failure = node.bank.judge(transaction);
    const result =
      failure === null || (failure === 'AlreadyProcessed' && !verifySignatures)
        ? node.bank.simulate(transaction, { verifySignatures })
        : {
            failure,
            logs: [],
            unitsConsumed: 0,
            innerInstructions: [],
            returnData: null,
            accounts: [],
          };
    if (result.failure === 'SignatureFailure') throw new RpcError(-32003, 'Transaction signature verification failure');
    return withContext(node, config, {
      ...outcomeOf(result),
      accounts: simulatedAccounts(node, config, result.accounts),
      innerInstructions: config['innerInstructions'] === true ? result.innerInstructions : null,
      replacementBlockhash: replace
        ? { blockhash: transaction.blockhash, lastValidBlockHeight: node.slots.at('processed') + BLOCKHASH_LIFE }
        : null,
    });
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

function withNewBlockhash(node: LocalNode, transaction: WireTransaction): WireTransaction {
  const blockhash = node.slots.blockhash(node.slots.at('processed'));
  const message = Buffer.from(transaction.message);
  message.set(decodeBase58(blockhash) ?? [], blockhashOffset(transaction));
  return { ...transaction, message, blockhash };
}

/** The blockhash follows version, header and keys; the length of the key list takes one byte below 128, else two. */
function blockhashOffset({ version, keys }: WireTransaction): number {
  return (version === 'legacy' ? 0 : 1) + 3 + (keys.length < 128 ? 1 : 2) + 32 * keys.length;
}

function simulatedAccounts(node: LocalNode, config: Config, changed: readonly Account[]): unknown[] | null {
  if (config['accounts'] === undefined || config['accounts'] === null) return null;
  const wanted = configAt([config['accounts']], 0);
  const addresses = wanted['addresses'];
  if (!Array.isArray(addresses)) throw invalidParams('Invalid params: accounts.addresses must be an array');
  return addresses.map((_, i) => {
    const address = addressAt(addresses, i);
    const account = changed.find((one) => one.address === address) ?? node.bank.engine.account(address);
    const encoding = wanted['encoding'] ?? 'base64';
    return encodeAccount(account, { encoding });
  });
}
