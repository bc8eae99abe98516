import { generateKeyPairSync, sign } from 'node:crypto';
import { encodeBase58, isBase58Of } from './base58.js';
import { ChainRejected } from './errors.js';
import { MEMO_PROGRAM_ID } from './port.js';
import type { Chain, MemoSigner, TransactionStatus } from './port.js';

/** A program's address, not a point of the curve: no key exists for it. */
const DERIVED = 'Bh57W1UyycZSoX6YdokgfyUZ41HTCaHFXdALqFp8zDnM';

/** A network for the suite: a chain whose faucet gives, and an address without a key. */
export interface ChainUnderTest {
  readonly chain: Chain;
  /** Time within which an accepted transaction is final, ms. */
  readonly finalWithinMs: number;
}

function newSigner() {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32);
  const seed = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32);
  const address = encodeBase58(raw);
  return {
    address,
    key: { publicKey: address, secretKey: Buffer.concat([seed, raw]) } satisfies MemoSigner,
    hand: {
      publicKey: address,
      sign: async (message: Uint8Array) => sign(null, message, privateKey),
    } satisfies MemoSigner,
  };
}

/** The contract of every adapter of the port, on its own network. */
export function chainContract(name: string, makeChain: () => Promise<ChainUnderTest>): void {
  describe(`chain: ${name}`, () => {
    let chain: Chain;
    let finalWithinMs: number;
    const signer = newSigner();

    async function settled(signature: string): Promise<TransactionStatus> {
      const deadline = Date.now() + finalWithinMs;
      for (;;) {
        const status = await chain.status(signature);
        if (status.state === 'finalized' || Date.now() > deadline) return status;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
    const rejection = (code: string) => expect.objectContaining({ name: 'ChainRejected', code });

    beforeAll(async () => {
      ({ chain, finalWithinMs } = await makeChain());
      const airdrop = await chain.requestAirdrop(signer.address, 2_000_000_000);
      expect(await settled(airdrop)).toMatchObject({ state: 'finalized', err: null });
    });

    it('names its network by its genesis hash', async () => {
      expect(await chain.network()).toMatch(/^solana:(localnet|devnet)$/);
      expect(isBase58Of(await chain.genesisHash(), 32)).toBe(true);
    });

    it('shows the balance that the faucet gave', async () => {
      expect(await chain.balance(signer.address)).toBeGreaterThan(1_900_000_000);
      expect(await chain.balance(newSigner().address)).toBe(0);
    });

    it('prepares without sending, then lands what was prepared, once', async () => {
      const prepared = await chain.prepareMemo('contract: one memo', signer.key);
      expect(isBase58Of(prepared.signature, 64)).toBe(true);
      expect(Buffer.from(prepared.wire, 'base64').length).toBeLessThanOrEqual(1232);
      expect(prepared.lastValidBlockHeight).toBeGreaterThan(await chain.blockHeight('finalized'));
      expect(await chain.status(prepared.signature)).toEqual({ state: 'not-found' });
      expect(await chain.transaction(prepared.signature)).toBeNull();

      const before = await chain.balance(signer.address);
      await chain.send(prepared.wire);
      await chain.send(prepared.wire);
      expect(await settled(prepared.signature)).toMatchObject({ state: 'finalized', err: null });
      await chain.send(prepared.wire);
      expect(before - (await chain.balance(signer.address))).toBe(5_000);

      const transaction = await chain.transaction(prepared.signature);
      expect(transaction).toMatchObject({
        signature: prepared.signature,
        succeeded: true,
        feePayer: signer.address,
        signers: [signer.address],
        memos: ['contract: one memo'],
      });
      expect(transaction?.slot).toBeGreaterThanOrEqual(prepared.preparedAtSlot);
      expect(transaction?.blockHeight).toBeLessThanOrEqual(prepared.lastValidBlockHeight);
      expect(Math.abs((transaction?.blockTime ?? 0) - Date.now() / 1000)).toBeLessThan(120);
      expect(transaction?.confirmations).toBeGreaterThanOrEqual(0);
      expect(await chain.time()).toBeGreaterThanOrEqual(transaction?.blockTime ?? Infinity);
    });

    it('reports what is not final as confirmed or pending, and as no transaction yet', async () => {
      const prepared = await chain.prepareMemo('contract: not final', signer.key);
      await chain.send(prepared.wire);
      const status = await chain.status(prepared.signature);
      if (status.state === 'finalized') throw new Error('this network is final at once: it does not fit the suite');
      expect(['pending', 'confirmed']).toContain(status.state);
      expect(await chain.transaction(prepared.signature)).toBeNull();
      await settled(prepared.signature);
      expect(await chain.transaction(prepared.signature)).not.toBeNull();
    });

    it('observes heights and statuses together', async () => {
      const prepared = await chain.prepareMemo('contract: observed', signer.key);
      const other = await chain.prepareMemo('contract: never sent', signer.key);
      await chain.send(prepared.wire);
      await settled(prepared.signature);
      const observed = await chain.observe([prepared.signature, other.signature]);
      expect(observed.statuses.get(prepared.signature)).toMatchObject({ state: 'finalized', err: null });
      expect(observed.statuses.get(other.signature)).toEqual({ state: 'not-found' });
      expect(observed.finalizedBlockHeight).toBeGreaterThan(0);
      expect(observed.historyFromSlot === null || observed.historyFromSlot <= prepared.preparedAtSlot).toBe(true);
      expect((await chain.observe([])).statuses.size).toBe(0);
    });

    it('takes a sign function, and any text that fits', async () => {
      const text = 'Ünï¢ode ☃ 𝄞 "quoted" \n countersign/1 root=' + 'f'.repeat(64);
      const prepared = await chain.prepareMemo(text, signer.hand);
      await chain.send(prepared.wire);
      await settled(prepared.signature);
      expect((await chain.transaction(prepared.signature))?.memos).toEqual([text]);
      const long = 'x'.repeat(900);
      await expect(chain.prepareMemo(long, signer.key)).resolves.toBeDefined();
    });

    it.each([
      ['empty', ''],
      ['lone surrogate', 'a\ud800'],
      ['too long', 'x'.repeat(1_200)],
      ['far too long', 'é'.repeat(1e6)],
    ])('refuses a memo that is %s', async (_what, memo) => {
      await expect(chain.prepareMemo(memo, signer.key)).rejects.toEqual(rejection('invalid-memo'));
    });

    it('refuses a signer whose signature is not its own', async () => {
      const other = newSigner();
      const wrong = { publicKey: signer.address, secretKey: other.key.secretKey };
      await expect(chain.prepareMemo('m', wrong)).rejects.toEqual(rejection('invalid-signer'));
      const lying = { publicKey: signer.address, sign: async () => new Uint8Array(64) };
      await expect(chain.prepareMemo('m', lying)).rejects.toEqual(rejection('invalid-signer'));
      const short = { publicKey: signer.address, secretKey: new Uint8Array(32) };
      await expect(chain.prepareMemo('m', short)).rejects.toEqual(rejection('invalid-signer'));
    });

    it('refuses malformed addresses, signatures and transactions', async () => {
      await expect(chain.balance('no address')).rejects.toEqual(rejection('invalid-address'));
      await expect(chain.balance('1'.repeat(5000))).rejects.toEqual(rejection('invalid-address'));
      await expect(chain.status('abc')).rejects.toBeInstanceOf(ChainRejected);
      await expect(chain.transaction('')).rejects.toBeInstanceOf(ChainRejected);
      await expect(chain.send('AAAA')).rejects.toEqual(rejection('invalid-transaction'));
    });

    it('refuses a payer without funds, and a changed transaction', async () => {
      const poor = newSigner();
      const unpaid = await chain.prepareMemo('contract: no money', poor.key);
      await expect(chain.send(unpaid.wire)).rejects.toEqual(rejection('insufficient-funds'));

      const prepared = await chain.prepareMemo('contract: changed', signer.key);
      const changed = Buffer.from(prepared.wire, 'base64');
      changed[changed.length - 1] = (changed.at(-1) ?? 0) ^ 1;
      await expect(chain.send(changed.toString('base64'))).rejects.toEqual(rejection('signature-failure'));
      expect(await chain.status(prepared.signature)).toEqual({ state: 'not-found' });
    });

    it('builds an unsigned registration for a wallet that can then sign and send it', async () => {
      const memo = `countersign/1 register=${'a'.repeat(64)}`;
      const built = await chain.buildRegistrationTransaction({ walletAddress: signer.address, memo });
      expect(built).toMatchObject({ memo, programId: MEMO_PROGRAM_ID });
      expect(built.lastValidBlockHeight).toBeGreaterThan(0);
      const bytes = Buffer.from(built.transaction, 'base64');
      expect(bytes[0]).toBe(1);
      expect(bytes.subarray(1, 65).every((byte) => byte === 0)).toBe(true);
      const signature = await signer.hand.sign(bytes.subarray(65));
      bytes.set(signature, 1);
      await chain.send(bytes.toString('base64'));
      await settled(encodeBase58(signature));
      expect(await chain.transaction(encodeBase58(signature))).toMatchObject({
        feePayer: signer.address,
        signers: [signer.address],
        memos: [memo],
        succeeded: true,
      });
      for (const walletAddress of ['x', DERIVED, '1'.repeat(32)]) {
        const refused = chain.buildRegistrationTransaction({ walletAddress, memo });
        await expect(refused).rejects.toEqual(rejection('invalid-address'));
      }
    });

    it('lists the transactions of an address, newest first, in pages', async () => {
      const payer = newSigner();
      await settled(await chain.requestAirdrop(payer.address, 1_000_000_000));
      const texts = ['contract: one; [3] two', 'contract: ☃', 'contract: three'];
      const signatures: string[] = [];
      for (const text of texts) {
        const prepared = await chain.prepareMemo(text, payer.key);
        await chain.send(prepared.wire);
        expect(await settled(prepared.signature)).toMatchObject({ state: 'finalized' });
        signatures.unshift(prepared.signature);
      }
      const all = await chain.transactionsOf(payer.address);
      expect(all.slice(0, 3).map(({ signature }) => signature)).toEqual(signatures);
      expect(all.slice(0, 3).map(({ memos }) => memos)).toEqual([...texts].reverse().map((text) => [text]));
      expect(all.every(({ succeeded }) => succeeded)).toBe(true);
      const page = await chain.transactionsOf(payer.address, { limit: 2 });
      expect(page.map(({ signature }) => signature)).toEqual(signatures.slice(0, 2));
      const [older] = await chain.transactionsOf(payer.address, { before: signatures[1]!, limit: 1 });
      expect(older?.signature).toBe(signatures[2]);
      const newer = await chain.transactionsOf(payer.address, { until: signatures[1]! });
      expect(newer.map(({ signature }) => signature)).toEqual([signatures[0]]);
      expect(await chain.transactionsOf(newSigner().address)).toEqual([]);
      await expect(chain.transactionsOf('no address')).rejects.toEqual(rejection('invalid-address'));
      await expect(chain.transactionsOf(payer.address, { before: 'x' })).rejects.toEqual(
        rejection('invalid-transaction'),
      );
    });

    it('progresses: heights increase and blockhashes change', async () => {
      const first = { height: await chain.blockHeight('processed'), latest: await chain.latestBlockhash() };
      await new Promise((resolve) => setTimeout(resolve, 900));
      expect(await chain.blockHeight('processed')).toBeGreaterThan(first.height);
      const latest = await chain.latestBlockhash();
      expect(latest.blockhash).not.toBe(first.latest.blockhash);
      expect(latest.lastValidBlockHeight).toBeGreaterThan(first.latest.lastValidBlockHeight);
      expect(await chain.blockHeight('finalized')).toBeLessThanOrEqual(await chain.blockHeight('processed'));
    });
  });
}
