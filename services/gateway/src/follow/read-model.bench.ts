import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentFacts } from '@countersign/contracts';
import { openSqliteLog } from '@countersign/event-log';
import { canonicalize } from '@countersign/evidence';
import { emptyProfile } from '@countersign/policy-engine';
import { loadConfig } from '@countersign/process';
import { versionedRecord } from '@countersign/topics';
import { ReadModel } from './read-model.js';

/**
 * Memory of many agents, each queried once, as JSON: `node --expose-gc read-model.bench.js AGENTS KiB`. The profiles
 * are lists of random text, which does not compress; 0 KiB: without a rule.
 */
const [agents = 10_000, kib = 64] = process.argv.slice(2).map(Number);
const BATCH = 50;
const ENTRY_BYTES = 300;

function factsOf(id: string): AgentFacts {
  const empty = emptyProfile(id);
  const room = kib * 1024 - canonicalize(empty).length;
  const entries = Math.max(0, Math.floor(room / (ENTRY_BYTES / 0.75 + '"https://a.example/",'.length)));
  const apis = Array.from(
    { length: entries },
    () => `https://a.example/${randomBytes(ENTRY_BYTES).toString('base64url')}`,
  );
  const profile = { ...empty, allowed_apis: apis };
  return {
    accountId: 'account',
    status: 'active',
    profile,
    profileSha256: createHash('sha256').update(canonicalize(profile)).digest('hex'),
  } as unknown as AgentFacts;
}

const directory = mkdtempSync(join(tmpdir(), 'read-model-'));
try {
  const log = await openSqliteLog({ file: join(directory, 'log.db') });
  const ids = Array.from({ length: agents }, () => randomUUID());
  for (let n = 0; n < agents; n += BATCH) {
    await log.append(ids.slice(n, n + BATCH).map((id) => versionedRecord<AgentFacts>('agents', id, 1, factsOf(id))));
  }
  const config = loadConfig({ COUNTERSIGN_DATA_DIR: directory });
  const readModel = await ReadModel.follow({ name: 'gateway', eventLog: log, config });
  while (readModel.problem() !== null) await sleep(20);
  const begun = performance.now();
  let characters = 0;
  for (const id of ids) {
    if (readModel.agent(id) === undefined) throw new Error('an agent is not known');
    characters += readModel.agents.get(id)!.value.profileLength;
  }
  const usedMs = performance.now() - begun;
  for (let n = 0; n < 3; n += 1) {
    globalThis.gc!();
    await sleep(50);
  }
  const { heapUsed, external, rss } = process.memoryUsage();
  const mib = (bytes: number): number => bytes / 1024 / 1024;
  const figures = {
    heldMiB: mib(heapUsed + external),
    residentMiB: mib(rss),
    profileKiB: characters / agents / 1024,
    compiled: readModel.compiledProfiles,
    useMs: usedMs / agents,
  };
  process.stdout.write(`${JSON.stringify(figures)}\n`);
  await readModel.stop();
  await log.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
