import Database from 'better-sqlite3';
import type { Chain, LedgerReader, ListedTransaction } from '@countersign/chain';

/** No transaction is on its way where nothing runs: each look finds more blocks than one could wait for. */
const BLOCKS = 1_000;

/** The embedded network of a stopped instance, as far as those ask it who look for what was anchored. */
export function stoppedChain(ledger: LedgerReader): Chain {
  let height = 0;
  const listed = new Database('');
  listed.pragma('journal_mode = OFF');
  listed.exec('CREATE TABLE listed (seq INTEGER PRIMARY KEY, signature TEXT UNIQUE, row TEXT); BEGIN');
  const add = listed.prepare('INSERT INTO listed VALUES (?, ?, ?)');
  for (const { sequence, signature, slot, blockTime, succeeded, memos, signers } of ledger.transactions()) {
    height = Math.max(height, slot);
    add.run(sequence, signature, JSON.stringify({ signature, slot, blockTime, succeeded, memos, signers }));
  }
  const page = listed
    .prepare<[string, string | null, number], string>(
      `SELECT row FROM listed WHERE EXISTS (SELECT 1 FROM json_each(row, '$.signers') WHERE value = ?)
       AND seq < coalesce((SELECT seq FROM listed WHERE signature = ?), ${Number.MAX_SAFE_INTEGER}) ORDER BY seq DESC LIMIT ?`,
    )
    .pluck();
  const refuse = (): never => {
    throw new Error('the network is not running');
  };
  return {
    network: () => Promise.resolve('solana:localnet'),
    genesisHash: () => Promise.resolve(ledger.genesisHash),
    blockHeight: async () => (height += BLOCKS),
    async transaction(signature) {
      const found = ledger.transaction(signature);
      return found === null ? null : { ...found, confirmations: null };
    },
    async transactionsOf(address, { limit = BLOCKS, before } = {}) {
      return page.all(address, before ?? null, limit).map((row) => JSON.parse(row) as ListedTransaction);
    },
    time: refuse,
    prepareMemo: refuse,
    send: refuse,
    status: refuse,
    observe: refuse,
    latestBlockhash: refuse,
    balance: refuse,
    requestAirdrop: refuse,
    buildRegistrationTransaction: refuse,
    close: async () => void listed.close(),
  };
}
