import { connect, createServer } from 'node:net';
import { openSolanaChain } from '@countersign/chain';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { pino } from 'pino';
import { authorityKey } from '../authority/authority-key.js';
import { openMongoAnchorStore } from '../store/mongo.js';
import { AnchorSubmitter } from '../submit/anchor-submitter.js';
import { House, sqliteStore, type OpenStore } from './house.js';
import { PartitionedLog } from './partitioned-log.js';
import { roundsOf, ROUND_MS, type KilledJob } from './killed-rounds.js';

/**
 * A process that takes a fixed log, cuts a window each round, closes and anchors it, and ends itself without warning
 * after some number of messages to MongoDB and the chain. Started again, it must come to the same windows.
 */
const job = JSON.parse(process.argv[2]!) as KilledJob;

let messages = 0;

/** Passes on what is sent to `target`; the one message after which the process is to end goes out or does not. */
async function counted(target: { host: string; port: number }): Promise<number> {
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    client.on('data', (chunk) => {
      messages += 1;
      if (messages !== job.endAfter) return void upstream.write(chunk);
      if (job.beforeSending) process.kill(process.pid, 'SIGKILL');
      // The answer never comes back, the effect may be there.
      upstream.write(chunk, () => setTimeout(() => process.kill(process.pid, 'SIGKILL'), 5));
    });
    upstream.on('data', (chunk) => client.write(chunk));
    for (const socket of [client, upstream]) {
      socket.on('error', () => undefined);
      socket.on('close', () => (client.destroy(), upstream.destroy()));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return (server.address() as { port: number }).port;
}

async function store(): Promise<OpenStore> {
  if (job.mongodbUri === null) return () => sqliteStore(job.directory);
  const { hostname, port } = new URL(job.mongodbUri.replace(/^mongodb:/, 'http:'));
  const through = await counted({ host: hostname, port: Number(port) });
  const uri = job.mongodbUri.replace(`${hostname}:${port}`, `127.0.0.1:${through}`);
  return () => openMongoAnchorStore(uri, { sha256: nodeCrypto.sha256, leaseMs: 300 });
}

const rpc = new URL(job.rpcUrl);
const chainPort = await counted({ host: rpc.hostname, port: Number(rpc.port) });
const chain = await openSolanaChain({ urls: `http://127.0.0.1:${chainPort}` });
const signer = await authorityKey(job.directory, async () => null);
const log = new PartitionedLog(job.partitions);
const house = await House.open({ log, openStore: await store() });
const submitter = new AnchorSubmitter(house.store, {
  chain,
  signer,
  network: 'solana:localnet',
  sha256: nodeCrypto.sha256,
  clock: () => Date.now(),
  log: pino({ level: 'silent' }),
  failed: (kind) => {
    if (kind !== 'chain') process.stderr.write(`${kind}\n`);
  },
});

const firstMs = house.nowMs;
const rounds = roundsOf(job.seed);
for (const [round, events] of rounds.entries()) {
  await house.append(...events);
  const cut = (await house.store.cadences()).find(({ cadenceSeconds }) => cadenceSeconds === 1)?.lastEndMs ?? 0;
  const now = firstMs + (round + 1) * ROUND_MS;
  const isCut = cut > firstMs + round * ROUND_MS;
  const pending = (await house.store.pendingCut()) !== null;
  house.nowMs = now;
  if (isCut && !pending) continue;
  if (!isCut) {
    house.nowMs = now - ROUND_MS / 2;
    await house.takeAll();
    house.nowMs = now;
  }
  const ticking = house.cutter.tick();
  await house.takeAll();
  await ticking;
  await house.closeDue();
  await submitter.round();
}
await house.closeDue();
while ((await submitter.round()).open > 0) await new Promise((resolve) => setTimeout(resolve, 50));
await house.publisher.publishAnchored();
await house.close();
await chain.close();
process.exit(0);
