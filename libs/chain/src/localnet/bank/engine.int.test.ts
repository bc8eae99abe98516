import { spawnSync } from 'node:child_process';
import { Keypair, SystemProgram, TransactionMessage, VersionedTransaction } from '@solana/web3.js';
import { encodeBase58 } from '../../base58.js';
import { Engine } from './engine.js';
import { Faucet } from './faucet.js';
import { parseTransaction } from './wire.js';

const RUNS = 6_000;

/** Changes real transactions at random and passes those that the parser accepts to the engine. */
const FUZZ = `
  const [{ Engine }, { Faucet }, { parseTransaction }] = await Promise.all(
    ['engine.js', 'faucet.js', 'wire.js'].map((file) => import(new URL(file, process.argv[1]).href)),
  );
  let state = Number(process.argv[2]);
  const random = (below) => (state = (Math.imul(state, 1103515245) + 12345) >>> 0) % below;
  const engine = new Engine();
  const faucet = new Faucet(new Uint8Array(32).fill(1));
  engine.restore(faucet.genesisAccount());
  const legacy = faucet.transfer(new Uint8Array(32).fill(9), 1e9, '1'.repeat(32));
  const seeds = [Buffer.concat([Buffer.from([1]), ...legacy.signatureBytes, legacy.message]),
    ...process.argv.slice(4).map((text) => Buffer.from(text, 'base64'))];
  let passed = 0;
  for (let run = 0; run < Number(process.argv[3]); run++) {
    const bytes = Buffer.from(seeds[random(seeds.length)]);
    for (let edits = 1 + random(4); edits > 0; edits--) bytes[65 + random(bytes.length - 65)] = random(3) ? random(8) : random(256);
    let transaction;
    try { transaction = parseTransaction(bytes); } catch { continue; }
    passed++;
    engine.loadedAddresses(transaction);
    engine.simulate(transaction, { verifySignatures: false });
    engine.execute(transaction);
  }
  console.log(JSON.stringify({ passed, balance: engine.balance(faucet.address) }));
`;

describe('the engine', () => {
  it('survives everything that the parser accepts', () => {
    const payer = Keypair.fromSeed(new Uint8Array(32).fill(1));
    const message = new TransactionMessage({
      payerKey: payer.publicKey,
      recentBlockhash: encodeBase58(new Uint8Array(32)),
      instructions: [SystemProgram.transfer({ fromPubkey: payer.publicKey, toPubkey: payer.publicKey, lamports: 1 })],
    }).compileToV0Message();
    const withLookup = Buffer.concat([
      Buffer.from([1]),
      Buffer.alloc(64),
      message.serialize().subarray(0, -1),
      Buffer.from([1]),
      Buffer.alloc(32, 7),
      Buffer.from([1, 0, 1, 1]),
    ]);
    expect(parseTransaction(withLookup).lookups).toHaveLength(1);
    const seeds = [Buffer.from(new VersionedTransaction(message).serialize()), withLookup];
    const args = [import.meta.url, '4711', String(RUNS), ...seeds.map((seed) => seed.toString('base64'))];
    const child = spawnSync(process.execPath, ['--input-type=module', '-e', FUZZ, ...args], { encoding: 'utf8' });
    expect({ status: child.status, signal: child.signal, stderr: child.stderr }).toEqual({
      status: 0,
      signal: null,
      stderr: '',
    });
    const { passed } = JSON.parse(child.stdout) as { passed: number };
    expect(passed).toBeGreaterThan(RUNS / 20);
  });

  it('verifies signatures, and charges what it executes', () => {
    const engine = new Engine();
    const faucet = new Faucet(new Uint8Array(32).fill(1));
    engine.restore(faucet.genesisAccount());
    const before = engine.balance(faucet.address);
    const to = new Uint8Array(32).fill(9);
    const transfer = faucet.transfer(to, 1e9, '1'.repeat(32));
    const forged = { ...transfer, signatureBytes: [new Uint8Array(64).fill(3)] };
    expect(engine.execute(forged).failure).toBe('SignatureFailure');
    expect(engine.balance(faucet.address)).toBe(before);
    expect(engine.simulate(transfer, { verifySignatures: true }).failure).toBeNull();
    expect(engine.balance(faucet.address)).toBe(before);
    expect(engine.execute(transfer).failure).toBeNull();
    expect(engine.account(encodeBase58(to))?.lamports).toBe(1e9);
    expect(engine.balance(faucet.address)).toBe(before - 1e9 - 5_000);
    expect(engine.account(encodeBase58(new Uint8Array(32).fill(77)))).toBeNull();
  });
});
