import {
  Connection,
  Keypair,
  LAMPORTS_PER_SOL,
  PublicKey,
  sendAndConfirmTransaction,
  SystemProgram,
  Transaction,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { MEMO_PROGRAM_ID } from '../port.js';
import { TestBench } from './fixtures.test-kit.js';

const bench = new TestBench();
let connection: Connection;
let genesisHash: string;
const wallet = Keypair.generate();

beforeAll(async () => {
  const localnet = await bench.localnet();
  ({ genesisHash } = localnet);
  connection = new Connection(localnet.rpcUrl, 'confirmed');
  const signature = await connection.requestAirdrop(wallet.publicKey, 5 * LAMPORTS_PER_SOL);
  const latest = await connection.getLatestBlockhash();
  const confirmed = await connection.confirmTransaction({ signature, ...latest }, 'confirmed');
  expect(confirmed.value.err).toBeNull();
});
afterAll(() => bench.end());

const memo = (text: string | Buffer) =>
  new TransactionInstruction({
    programId: new PublicKey(MEMO_PROGRAM_ID),
    keys: [{ pubkey: wallet.publicKey, isSigner: true, isWritable: false }],
    data: Buffer.from(text as string),
  });
const transfer = (to: PublicKey, lamports: number) =>
  SystemProgram.transfer({ fromPubkey: wallet.publicKey, toPubkey: to, lamports });

describe('@solana/web3.js, unmodified', () => {
  it('knows the node', async () => {
    expect(await connection.getGenesisHash()).toBe(genesisHash);
    expect((await connection.getVersion())['solana-core']).toEqual(expect.any(String));
    const epoch = await connection.getEpochInfo();
    expect(epoch.absoluteSlot).toBe(epoch.blockHeight);
    expect(await connection.getFirstAvailableBlock()).toBe(0);
  });

  it('sends a transfer and a memo and waits over WebSocket until it is final', async () => {
    const to = Keypair.generate().publicKey;
    const transaction = new Transaction().add(transfer(to, LAMPORTS_PER_SOL), memo('from the client library'));
    const start = Date.now();
    const signature = await sendAndConfirmTransaction(connection, transaction, [wallet], { commitment: 'finalized' });
    expect(Date.now() - start).toBeLessThan(4_000);
    expect(await connection.getBalance(to)).toBe(LAMPORTS_PER_SOL);

    const found = await connection.getTransaction(signature, {
      commitment: 'finalized',
      maxSupportedTransactionVersion: 0,
    });
    expect(found?.meta).toMatchObject({ err: null, fee: 5_000 });
    expect(found?.transaction.message.staticAccountKeys[0]?.equals(wallet.publicKey)).toBe(true);
    const [status] = (await connection.getSignatureStatuses([signature])).value;
    expect(status).toMatchObject({ err: null, confirmationStatus: 'finalized', confirmations: null });
    const [newest] = await connection.getSignaturesForAddress(wallet.publicKey, { limit: 1 });
    expect(newest).toMatchObject({ signature, err: null, memo: '[23] from the client library' });
    const block = await connection.getBlock(found?.slot ?? 0, { maxSupportedTransactionVersion: 0 });
    expect(block?.transactions.map((one) => one.transaction.signatures[0])).toContain(signature);
    const names = await connection.getBlockSignatures(found?.slot ?? 0);
    expect(names.signatures).toContain(signature);
  });

  it('receives a failure before sending, with logs; and one of a landed transaction', async () => {
    const tooMuch = new Transaction().add(transfer(Keypair.generate().publicKey, 1e15));
    await expect(sendAndConfirmTransaction(connection, tooMuch, [wallet])).rejects.toMatchObject({
      name: 'Error',
      message: expect.stringContaining('custom program error: 0x1'),
      transactionLogs: expect.arrayContaining([expect.stringContaining('insufficient lamports')]),
    });
    const before = await connection.getBalance(wallet.publicKey);
    const again = new Transaction().add(transfer(Keypair.generate().publicKey, 1e15));
    // This client rejects with the bare error when it reads it from a status, else with its message.
    const refused: unknown = await sendAndConfirmTransaction(connection, again, [wallet], { skipPreflight: true }).then(
      () => null,
      (error: unknown) => error,
    );
    const said = refused instanceof Error ? refused.message : JSON.stringify(refused);
    expect(said).toContain('{"InstructionError":[0,{"Custom":1}]}');
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(before - (await connection.getBalance(wallet.publicKey))).toBe(5_000);
    const [failed] = await connection.getSignaturesForAddress(wallet.publicKey, { limit: 1 });
    expect(failed?.err).toEqual({ InstructionError: [0, { Custom: 1 }] });
    const found = await connection.getTransaction(failed?.signature ?? '', { maxSupportedTransactionVersion: 0 });
    expect(found?.meta).toMatchObject({ err: { InstructionError: [0, { Custom: 1 }] }, fee: 5_000 });
  });

  it('runs the real Memo program, which refuses invalid UTF-8 and missing signers', async () => {
    const notText = new Transaction().add(memo(Buffer.from([0xff, 0xfe])));
    await expect(sendAndConfirmTransaction(connection, notText, [wallet])).rejects.toThrow(/invalid utf-8|Error/);
    const other = Keypair.generate();
    const instruction = memo('signed by two');
    instruction.keys.push({ pubkey: other.publicKey, isSigner: true, isWritable: false });
    const both = await sendAndConfirmTransaction(connection, new Transaction().add(instruction), [wallet, other]);
    const found = await connection.getTransaction(both, { maxSupportedTransactionVersion: 0 });
    expect(found?.transaction.message.header.numRequiredSignatures).toBe(2);
    expect(found?.meta?.fee).toBe(10_000);
  });

  it('reads accounts', async () => {
    const program = await connection.getAccountInfo(new PublicKey(MEMO_PROGRAM_ID));
    expect(program).toMatchObject({ executable: true });
    expect(program?.data.length).toBeGreaterThan(1_000);
    expect(await connection.getAccountInfo(Keypair.generate().publicKey)).toBeNull();
  });

  it('sends version 0, and reads it with the version given', async () => {
    const to = Keypair.generate().publicKey;
    const { blockhash } = await connection.getLatestBlockhash();
    const message = new TransactionMessage({
      payerKey: wallet.publicKey,
      recentBlockhash: blockhash,
      instructions: [transfer(to, 2_000_000), memo('version 0')],
    }).compileToV0Message();
    const transaction = new VersionedTransaction(message);
    transaction.sign([wallet]);
    const signature = await connection.sendTransaction(transaction);
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(await connection.getBalance(to)).toBe(2_000_000);
    const found = await connection.getTransaction(signature, { maxSupportedTransactionVersion: 0 });
    expect(found?.version).toBe(0);
    await expect(connection.getTransaction(signature)).rejects.toThrow(/maxSupportedTransactionVersion/);
  });

  it('pages through the signatures of an address', async () => {
    const all = await connection.getSignaturesForAddress(wallet.publicKey);
    const first = await connection.getSignaturesForAddress(wallet.publicKey, { limit: 2 });
    const before = first.at(-1)?.signature;
    const rest = await connection.getSignaturesForAddress(wallet.publicKey, before === undefined ? {} : { before });
    expect([...first, ...rest].map(({ signature }) => signature)).toEqual(all.map(({ signature }) => signature));
    const until = all[2]?.signature;
    expect(
      await connection.getSignaturesForAddress(wallet.publicKey, until === undefined ? {} : { until }),
    ).toHaveLength(2);
  });
});
