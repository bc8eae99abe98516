import { join } from 'node:path';
import { encodeBase58, MEMO_PROGRAM_ID, openSolanaChain, startLocalnet } from '@countersign/chain';
import type { Chain, Localnet } from '@countersign/chain';
import { blockchainSsn, registrationMemo } from '@countersign/evidence';
import { nodeCrypto } from '@countersign/process/node-crypto';
import {
  Connection,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import type { Signer } from '@solana/web3.js';
import type { Caller } from '../change-agent/agent-changes.js';
import { ACCOUNT, AGENT, events, openBench, OTHER_ACCOUNT } from '../policy.test-context.js';
import type { Bench } from '../policy.test-context.js';
import { AccountLookups } from './account-lookups.js';
import { Registrations } from './registrations.js';

const OTHER_AGENT = 'bbbbbbbb-bbbb-4bbb-8bbb-bbbbbbbbbbbb';
const FIELDS = { name: 'Booking', type: null, purpose: null, version: null };
const caller = (accountId: string): Caller => ({ accountId, actor: { kind: 'user', id: 'u-1' }, apiKeyId: null });
const [OURS, OTHERS] = [caller(ACCOUNT), caller(OTHER_ACCOUNT)];
const register = (agentId: string): string => registrationMemo(agentId, nodeCrypto.sha256);
/** Derived by a program, beside the curve. */
const NO_WALLET = 'Bh57W1UyycZSoX6YdokgfyUZ41HTCaHFXdALqFp8zDnM';
const LAMPORTS = 5_000_000_000;
const LOOK_EVERY_MS = 25;

function memo(signer: Signer, text: string): TransactionInstruction {
  return new TransactionInstruction({
    programId: new PublicKey(MEMO_PROGRAM_ID),
    keys: [{ pubkey: signer.publicKey, isSigner: true, isWritable: false }],
    data: Buffer.from(text, 'utf8'),
  });
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
}

/** Wallets that are not ours: key pairs of `@solana/web3.js`, funded by the faucet of the embedded network. */
class Wallets {
  readonly ours = Keypair.generate();
  readonly stranger = Keypair.generate();

  private constructor(private readonly connection: Connection) {}

  /** Resolves when both can pay. */
  static async fund(rpcUrl: string): Promise<Wallets> {
    const connection = new Connection(rpcUrl, 'confirmed');
    const wallets = new Wallets(connection);
    for (const { publicKey } of [wallets.ours, wallets.stranger]) {
      await connection.requestAirdrop(publicKey, LAMPORTS);
      await until(async () => (await connection.getBalance(publicKey)) === LAMPORTS);
    }
    return wallets;
  }

  /** The first signer pays; those that no instruction names stay away. */
  async sign(
    instructions: TransactionInstruction[],
    [payer, ...others]: readonly Signer[],
    version: 0 | 'legacy' = 'legacy',
  ): Promise<{ readonly signature: string; readonly wire: Uint8Array }> {
    const { blockhash } = await this.connection.getLatestBlockhash();
    const parts = new TransactionMessage({ payerKey: payer!.publicKey, recentBlockhash: blockhash, instructions });
    const message = version === 0 ? parts.compileToV0Message() : parts.compileToLegacyMessage();
    const needed = message.staticAccountKeys.slice(0, message.header.numRequiredSignatures);
    const transaction = new VersionedTransaction(message);
    transaction.sign([payer!, ...others.filter((one) => needed.some((key) => key.equals(one.publicKey)))]);
    return { signature: encodeBase58(transaction.signatures[0]!), wire: transaction.serialize() };
  }

  /** Signs and hands over, also what fails on the chain. */
  async submit(
    instructions: TransactionInstruction[],
    signers: readonly Signer[],
    version: 0 | 'legacy' = 'legacy',
  ): Promise<string> {
    const { signature, wire } = await this.sign(instructions, signers, version);
    await this.connection.sendRawTransaction(wire, { skipPreflight: true });
    await until(async () => (await this.connection.getSignatureStatus(signature)).value !== null);
    return signature;
  }

  finalized(chain: Chain, signature: string): Promise<void> {
    return until(async () => (await chain.transaction(signature)) !== null);
  }
}

describe('registrations by wallets that are not ours, on a network', () => {
  let bench: Bench;
  let localnet: Localnet;
  let chain: Chain;
  let wallets: Wallets;
  let registrations: Registrations;
  const on = (open: () => Promise<Chain>): Registrations =>
    new Registrations({ chain: open, log: bench.context.log }, bench.changes, bench.store);

  beforeAll(async () => {
    bench = await openBench();
    localnet = await startLocalnet({ dir: join(bench.directory, 'localnet'), port: 0, finalityMs: 400 });
    // Of several nodes the first is gone.
    chain = await openSolanaChain({ urls: `http://127.0.0.1:9,${localnet.rpcUrl}` });
    wallets = await Wallets.fund(localnet.rpcUrl);
    registrations = on(async () => chain);
    await bench.changes.create(AGENT, OURS, FIELDS);
    await bench.changes.create(OTHER_AGENT, OTHERS, FIELDS);
  });
  afterAll(async () => {
    await chain.close();
    await localnet.close();
    await bench.cleanup();
  });

  const stored = async () => [await bench.store.find(AGENT), (await events(bench.eventLog)).length];
  const walletAddress = (): string => wallets.ours.publicKey.toBase58();
  const bring = (transactionSignature: string, by = walletAddress()) =>
    registrations.register(OURS, AGENT, { walletAddress: by, transactionSignature });
  const refusal = (status: number, words: string) => ({ status, message: expect.stringContaining(words) });

  it('refuses every wrong transaction with its reason, and stores nothing', async () => {
    const before = await stored();
    const { ours, stranger } = wallets;
    const good = memo(ours, register(AGENT));
    const transfer = (lamports: number): TransactionInstruction =>
      SystemProgram.transfer({ fromPubkey: ours.publicKey, toPubkey: stranger.publicKey, lamports });
    const disguised = transfer(5_000);
    disguised.data = Buffer.concat([disguised.data, Buffer.from(register(AGENT))]);
    const wrong: readonly [instructions: TransactionInstruction[], signers: Signer[], words: string][] = [
      [[good, transfer(1e15)], [ours], 'failed on the chain'],
      [[memo(stranger, register(AGENT))], [stranger], 'did not sign'],
      [[good], [stranger, ours], 'did not pay its fee'],
      [[disguised], [ours], 'has no memo'],
      [[memo(ours, 'hello')], [ours], 'no memo of the transaction is a registration'],
      [[good, good], [ours], '2 memos that register'],
      [[good, memo(ours, register(OTHER_AGENT))], [ours], '2 memos that register'],
      [[memo(ours, register(OTHER_AGENT))], [ours], 'names another agent'],
    ];
    const sent = await Promise.all(
      wrong.map(async ([instructions, signers, words]) => {
        const signature = await wallets.submit(instructions, signers);
        await wallets.finalized(chain, signature);
        return { signature, words };
      }),
    );
    // One account may not look up all of them at once.
    for (const { signature, words } of sent) {
      await expect(bring(signature)).rejects.toMatchObject(refusal(400, words));
    }
    const unsent = await wallets.sign([good], [ours]);
    await expect(bring(unsent.signature)).rejects.toMatchObject(refusal(409, 'does not know the transaction'));
    const anAddress = ours.publicKey.toBase58();
    for (const wallet of ['x', NO_WALLET, '1'.repeat(32), `1${anAddress}`]) {
      await expect(bring(unsent.signature, wallet)).rejects.toMatchObject(refusal(400, 'walletAddress must be'));
    }
    for (const signature of ['x', anAddress, `1${unsent.signature}`, `0${unsent.signature.slice(1)}`]) {
      await expect(bring(signature)).rejects.toMatchObject(refusal(400, 'transactionSignature must be'));
    }
    expect(await stored()).toEqual(before);
  });

  it('asks the chain no more for an account that asks too often, and stores nothing', async () => {
    const before = await stored();
    const few = new AccountLookups(undefined, 1);
    let asked = 0;
    const open = async (): Promise<Chain> => {
      asked += 1;
      return chain;
    };
    const limited = new Registrations({ chain: open, log: bench.context.log }, bench.changes, bench.store, few);
    const registration = {
      walletAddress: walletAddress(),
      transactionSignature: encodeBase58(new Uint8Array(64).fill(9)),
    };
    await expect(limited.register(OURS, AGENT, registration)).rejects.toMatchObject(refusal(409, 'does not know'));
    await expect(limited.register(OURS, AGENT, registration)).rejects.toMatchObject(refusal(429, 'too many'));
    await expect(limited.draft(ACCOUNT, AGENT, walletAddress())).rejects.toMatchObject(refusal(429, 'too many'));
    expect(asked).toBe(1);
    expect((await limited.draft(ACCOUNT, AGENT, undefined)).memo).toBe(register(AGENT));
    expect(await stored()).toEqual(before);
  });

  it('asks to come again for one that is not finalized', async () => {
    const slow = await startLocalnet({ dir: join(bench.directory, 'slow'), port: 0, finalityMs: 3_600_000 });
    const slowChain = await openSolanaChain({ urls: slow.rpcUrl });
    try {
      const before = await stored();
      const there = await Wallets.fund(slow.rpcUrl);
      const signature = await there.submit([memo(there.ours, register(AGENT))], [there.ours]);
      const registration = { walletAddress: there.ours.publicKey.toBase58(), transactionSignature: signature };
      await expect(on(async () => slowChain).register(OURS, AGENT, registration)).rejects.toMatchObject({
        ...refusal(409, 'not finalized yet'),
        headers: { 'Retry-After': '1' },
      });
      expect(await stored()).toEqual(before);
    } finally {
      await slowChain.close();
      await slow.close();
    }
  });

  it('answers 503 with a reason while no node answers, and stores nothing', async () => {
    const before = await stored();
    const gone = await openSolanaChain({ urls: 'http://127.0.0.1:9', deadlineMs: 100 });
    const { signature } = await wallets.sign([memo(wallets.ours, register(AGENT))], [wallets.ours]);
    const registration = { walletAddress: walletAddress(), transactionSignature: signature };
    const cut = on(async () => gone);
    await expect(cut.register(OURS, AGENT, registration)).rejects.toMatchObject(refusal(503, '(network)'));
    await expect(cut.draft(ACCOUNT, AGENT, walletAddress())).rejects.toMatchObject(refusal(503, '(network)'));
    expect(await cut.draft(ACCOUNT, AGENT, undefined)).toMatchObject({ transaction: null, memo: register(AGENT) });
    await gone.close();
    expect(await stored()).toEqual(before);
  });

  it('registers by the transaction that it built, which then registers no other agent', async () => {
    const { ours } = wallets;
    const draft = await registrations.draft(ACCOUNT, AGENT, walletAddress());
    const { instructions, feePayer, recentBlockhash } = Transaction.from(Buffer.from(draft.transaction!, 'base64'));
    expect([feePayer?.toBase58(), recentBlockhash]).toEqual([walletAddress(), draft.recentBlockhash]);
    expect(instructions.map(({ data }) => data.toString('utf8'))).toEqual([register(AGENT)]);
    const signature = await wallets.submit(instructions, [ours]);
    await wallets.finalized(chain, signature);
    const { facts } = await bring(signature);
    const transactionSignature = signature;
    expect(facts).toMatchObject({
      blockchain_ssn: blockchainSsn(
        { agentId: AGENT, walletAddress: walletAddress(), transactionSignature },
        nodeCrypto.sha256,
      ),
      wallet_address: walletAddress(),
      chain_tx_signature: signature,
    });
    expect((await bench.store.find(AGENT))?.facts).toEqual(facts);
    const registration = { walletAddress: walletAddress(), transactionSignature };
    await expect(bring(signature)).rejects.toMatchObject(refusal(409, facts.blockchain_ssn!));
    await expect(registrations.draft(ACCOUNT, AGENT, walletAddress())).rejects.toMatchObject(
      refusal(409, 'registered already'),
    );
    await expect(registrations.register(OTHERS, OTHER_AGENT, registration)).rejects.toMatchObject(
      refusal(409, 'registered another agent'),
    );
    await expect(registrations.register(OTHERS, AGENT, registration)).rejects.toMatchObject({ status: 404 });
  });

  it('registers by a transaction of the wallet’s own making', async () => {
    const { ours, stranger } = wallets;
    const tip = SystemProgram.transfer({ fromPubkey: ours.publicKey, toPubkey: stranger.publicKey, lamports: 5_000 });
    const instructions = [tip, memo(ours, 'by my wallet'), memo(ours, register(OTHER_AGENT))];
    const signature = await wallets.submit(instructions, [ours, stranger], 0);
    await wallets.finalized(chain, signature);
    const registration = { walletAddress: walletAddress(), transactionSignature: signature };
    await bench.changes.freeze(OTHERS, OTHER_AGENT, null);
    const { facts } = await registrations.register(OTHERS, OTHER_AGENT, registration);
    expect(facts).toMatchObject({ status: 'frozen', chain_tx_signature: signature });
    const published = (await events(bench.eventLog)).filter(({ leaf }) => leaf.agentId === OTHER_AGENT);
    expect(published.map(({ leaf }) => leaf.type)).toEqual(['agent.created', 'agent.frozen', 'agent.registered']);
  });

  it('refuses an inactive agent before anything is asked or paid', async () => {
    const id = 'cccccccc-cccc-4ccc-8ccc-cccccccccccc';
    await bench.changes.create(id, OURS, FIELDS);
    await bench.changes.deactivate(OURS, id, null);
    const never = on(() => Promise.reject(new Error('was asked')));
    const { signature } = await wallets.sign([memo(wallets.ours, register(id))], [wallets.ours]);
    const registration = { walletAddress: walletAddress(), transactionSignature: signature };
    await expect(never.register(OURS, id, registration)).rejects.toMatchObject(refusal(409, 'inactive'));
    await expect(never.draft(ACCOUNT, id, walletAddress())).rejects.toMatchObject(refusal(409, 'inactive'));
  });
});
