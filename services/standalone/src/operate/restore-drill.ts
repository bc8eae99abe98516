import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Api, verifyFile } from '@countersign/cli';
import { examine, LAYOUT, restoreCopy, type Examination, type Manifest } from '@countersign/fsck';
import { createLogger, openDataDirectory, type Config } from '@countersign/process';
import { startInstance } from '../start/instance.js';
import { definitionsOf, FOLLOWERS } from '../start/services.js';

export interface DrillOptions {
  /** Folder for the restored copy, which is removed again; `null`: the system's temporary one. */
  readonly workFolder: string | null;
  readonly progress: (step: 'copy' | 'check', done: number, total: number) => void;
}

/** Result of a drill. The backup can be relied on if `problems` is empty. */
export interface Drill {
  readonly manifest: Manifest;
  readonly files: number;
  readonly bytes: number;
  /** One line each. */
  readonly problems: readonly string[];
  /** `null`: the copy was not complete, so it was not examined. */
  readonly examination: Examination | null;
  /** The evidence that was verified with the restored instance; `null`: it was not started. */
  readonly verified: string | null;
  readonly seconds: {
    /** Copying every file, with its hash. */
    readonly copy: number;
    /** `fsck` of the copy. */
    readonly check: number;
    /** From the start until the instance is ready. */
    readonly start: number;
  };
}

const ALERTS = 'alerts';
const ANCHORING = 'anchoring';
const REPORTING = 'reporting';

/** An address at which no chain answers. */
const NO_CHAIN = 'http://127.0.0.1:9';

/** Longest wait until the instance is ready, ms. */
const READY_WITHIN_MS = 600_000;

/** Windows of which the newest ones are tried for a proof. */
const MOST_WINDOWS = 10_000;
/** The newest windows may not be anchored yet. */
const TRIED_WINDOWS = 10;
const HOUR_MS = 3_600_000;

/**
 * Restores a backup to a temporary folder, checks it, starts an instance on it and verifies one report, or one proof if it
 * has none. The instance listens on this machine alone, sends no message, and submits no transaction to a chain
 * outside the copy. The backup is only read; the copy is removed.
 * @param config of this machine: none of its addresses is used
 * @throws NoBackup
 */
export async function drill(config: Config, backup: string, options: DrillOptions): Promise<Drill> {
  const parent = options.workFolder ?? tmpdir();
  await mkdir(parent, { recursive: true });
  const folder = await mkdtemp(join(parent, 'countersign-drill-'));
  try {
    return await drillIn(folder, config, backup, options);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function drillIn(folder: string, config: Config, backup: string, { progress }: DrillOptions): Promise<Drill> {
  const dataDir = join(folder, 'data');
  const clock = stopwatch();
  const lock = await openDataDirectory(dataDir);
  try {
    const { manifest, bytes, differences } = await restoreCopy(backup, dataDir, (done, of) =>
      progress('copy', done, of),
    );
    const copy = clock();
    const files = Object.keys(manifest.files).length;
    const result = { manifest, files, bytes, examination: null, verified: null };
    if (differences.length > 0) return { ...result, problems: differences, seconds: { copy, check: 0, start: 0 } };
    const hasChain = existsSync(join(dataDir, LAYOUT.ledger));
    const examination = await examine(dataDir, !hasChain, (done, of) => progress('check', done, of));
    const check = clock();
    if (examination.report.count > 0) {
      const problems = [`fsck finds ${examination.report.count} contradictions in the copy`];
      return { ...result, examination, problems, seconds: { copy, check, start: 0 } };
    }
    const { start, verified, problems } = await tryOut(folder, closed(config, dataDir, hasChain), hasChain, manifest);
    return { ...result, examination, verified, problems, seconds: { copy, check, start } };
  } finally {
    lock.release();
  }
}

/** Configuration of an instance that reaches nothing outside this machine. */
function closed(config: Config, dataDir: string, hasChain: boolean): Config {
  return {
    ...config,
    dataDir,
    host: '127.0.0.1',
    port: 0,
    publicUrl: null,
    apiUrl: null,
    openRegistration: false,
    singleSignOn: null,
    localnetPort: null,
    solanaRpcUrls: hasChain ? [] : [NO_CHAIN],
    webhookAllowedHosts: [],
    retentionMonths: null,
    smtpUrl: null,
    otlp: null,
    logLevel: 'silent',
  };
}

/**
 * Services that would act outside the copy: alerts sends messages that the original has sent; anchoring submits
 * transactions under the key of the original; reporting needs anchoring, and asks an external signer.
 */
function notStarted({ signer }: Config, hasChain: boolean): readonly string[] {
  if (!hasChain) return [ALERTS, ANCHORING, REPORTING];
  return signer === null ? [ALERTS] : [ALERTS, REPORTING];
}

interface TriedOut {
  readonly start: number;
  readonly verified: string;
  readonly problems: readonly string[];
}

async function tryOut(folder: string, config: Config, hasChain: boolean, manifest: Manifest): Promise<TriedOut> {
  const clock = stopwatch();
  const left = notStarted(config, hasChain);
  const placement = {
    inEdgeThread: () => definitionsOf(['gateway']),
    inServicesThread: FOLLOWERS.filter((name) => !left.includes(name)),
  };
  const late = new AbortController();
  const timer = setTimeout(
    () => late.abort(new Error('the restored instance was not ready in 10 minutes')),
    READY_WITHIN_MS,
  );
  const instance = await startInstance(config, createLogger('silent'), placement, late.signal).finally(() =>
    clearTimeout(timer),
  );
  try {
    const start = clock();
    const { baseUrl, solanaRpcUrl } = instance.addresses;
    const trust = await trustOf(baseUrl, folder);
    const { file, what } = await evidence(folder, config.dataDir, manifest);
    if (file === null) return { start, verified: what, problems: [] };
    const chainTrust = hasChain
      ? { rpcUrls: [solanaRpcUrl], authorities: trust.authorities }
      : { rpcUrls: [], authorities: [] };
    const { problems } = await verifyFile({ file, keys: trust.keys, ...chainTrust });
    const chain = hasChain ? '' : '; its chain is outside the backup and was not asked';
    return { start, verified: `${what}${chain}`, problems: problems.map((problem) => `${what}: ${problem}`) };
  } finally {
    await instance.stop();
  }
}

interface Trust {
  readonly keys: readonly string[];
  readonly authorities: readonly string[];
}

/** Keys and authorities that the restored instance publishes. */
async function trustOf(baseUrl: string, folder: string): Promise<Trust> {
  const api = new Api(baseUrl);
  try {
    const keys = join(folder, 'jwks.json');
    await writeFile(keys, (await api.send('GET', '/.well-known/jwks.json', {})).text);
    const { anchorAuthorities } = await api.json<{ anchorAuthorities: readonly { address: string }[] }>(
      'GET',
      '/v1/keys',
      {},
    );
    return { keys: [keys], authorities: anchorAuthorities.map(({ address }) => address) };
  } finally {
    api.close();
  }
}

/**
 * A stored report, or a proof that an agent which does not exist had no event in a recent anchored window.
 * @returns `file`: as `countersign verify` takes it; `null`: there is neither
 */
async function evidence(
  folder: string,
  dataDir: string,
  manifest: Manifest,
): Promise<{ readonly file: string | null; readonly what: string }> {
  const report = Object.keys(manifest.files).find((name) => /^reporting\/packages\/[0-9a-f]{64}$/u.test(name));
  if (report !== undefined) return { file: join(dataDir, report), what: `the report ${report.slice(-64)}` };
  const anchoring = await import('@countersign/anchoring');
  const place = { directory: join(dataDir, 'anchoring'), mongodbUri: null };
  const toMs = Date.parse(manifest.takenAt);
  for (const hours of [1, 24, 24 * 31, Infinity]) {
    const range = { fromMs: Math.max(0, toMs - hours * HOUR_MS), toMs };
    const labels = await anchoring.windowsBetween(place, range, MOST_WINDOWS);
    for (const label of labels.slice(-TRIED_WINDOWS).reverse()) {
      const [answer] = await anchoring.proveAbsences(place, [{ agentId: randomUUID(), label }]);
      if (answer?.kind !== 'absent') continue;
      const file = join(folder, 'proof.json');
      await writeFile(file, JSON.stringify(answer.proof));
      return { file, what: `a proof in the window that begins at ${new Date(label.startMs).toISOString()}` };
    }
  }
  return { file: null, what: 'nothing: there is no report, and no window is anchored yet' };
}

/** Returns a function that gives the seconds since its last call. */
function stopwatch(): () => number {
  let last = performance.now();
  return () => {
    const before = last;
    last = performance.now();
    return (last - before) / 1000;
  };
}
