import { setTimeout as sleep } from 'node:timers/promises';
import { fsck, type Fsck } from '../instance/fsck.js';
import { Instance } from '../instance/instance.js';
import { eventually } from '../instance/request.js';
import { startChanges } from './changes.js';
import { isRecorded, startLoad, type Attempt } from './load.js';
import { differences, listEvents, type Session } from './recorded.js';

export interface TortureOptions {
  readonly rounds: number;
  /** Default: a new temporary folder. */
  readonly dataDir?: string;
  readonly print?: (line: string) => void;
}

export interface Tortured {
  readonly dataDir: string;
  /** Checks answered as recorded. */
  readonly answered: number;
  /** Checks without an answer. */
  readonly unanswered: number;
  /** Differences after a kill; empty if there are none. */
  readonly differences: readonly string[];
  readonly fsck: Fsck;
}

const LOAD_MS = 1500;
/** One start in this many is killed before the instance is ready. */
const EARLY_KILLS = 5;
const FOLLOWS_WITHIN_S = 90;

/**
 * Kills an instance at random times under load, repeatedly on one data directory. After each restart every answered check
 * must be listed; at the end everything must be anchored and the integrity check clean.
 */
export async function torture({ rounds, dataDir, print = () => undefined }: TortureOptions): Promise<Tortured> {
  let instance = await Instance.start(dataDir === undefined ? {} : { dataDir });
  const folder = instance.dataDir;
  const session = await instance.session();
  const found: string[] = [];
  let answered = 0;
  let unanswered = 0;
  try {
    for (let round = 1; round <= rounds; round += 1) {
      const { attempts, from, profileVersion } = await killUnderLoad(instance, session, `r${round}-${process.pid}`);
      if (Math.random() < 1 / EARLY_KILLS) await killWhileStarting(folder);
      instance = await Instance.start({ dataDir: folder });
      const missing = await settled(instance, session, attempts, from);
      const version = await currentVersion(instance, session);
      if (version < profileVersion)
        missing.push(`profile version ${profileVersion} was answered, ${version} is stored`);
      found.push(...missing.map((line) => `round ${round}: ${line}`));
      const kept = attempts.filter(isRecorded).length;
      answered += kept;
      unanswered += attempts.filter(({ status }) => status === null).length;
      print(
        `round ${round} of ${rounds}: ${kept} answered, ${attempts.length - kept} not, ${missing.length} differences`,
      );
    }
    await anchored(instance, session);
    const { code } = await instance.stop();
    if (code !== 0) found.push(`it ended with ${String(code)}\n${instance.output}`);
    return { dataDir: folder, answered, unanswered, differences: found, fsck: await fsck(folder) };
  } finally {
    if (instance.child.exitCode === null && instance.child.signalCode === null) await instance.kill();
  }
}

interface Round {
  readonly attempts: readonly Attempt[];
  /** Start time of the round. */
  readonly from: string;
  readonly profileVersion: number;
}

async function killUnderLoad(instance: Instance, session: Session, name: string): Promise<Round> {
  const from = new Date(Date.now() - 5_000).toISOString();
  const unfreeze = `/v1/agents/${instance.bootstrap.agentId}/unfreeze`;
  await instance.request('POST', unfreeze, { headers: session, body: {} });
  const load = startLoad(instance, { name });
  const changes = startChanges(instance, session);
  await sleep(20 + Math.random() * LOAD_MS);
  await instance.kill();
  const attempts = await load.stop();
  await changes.stop();
  return { attempts, from, profileVersion: changes.profileVersion };
}

async function killWhileStarting(dataDir: string): Promise<void> {
  const starting = await Instance.start({ dataDir, wait: false });
  await sleep(Math.random() * 4_000);
  await starting.kill();
}

/** The differences left once the list has caught up with the log. */
async function settled(
  instance: Instance,
  session: Session,
  attempts: readonly Attempt[],
  from: string,
): Promise<string[]> {
  let left: string[] = [];
  await eventually('the list follows the log', FOLLOWS_WITHIN_S, async () => {
    left = differences(attempts, await listEvents(instance, session, from));
    return left.length === 0 ? true : null;
  }).catch(() => undefined);
  return left;
}

async function currentVersion(instance: Instance, session: Session): Promise<number> {
  const path = `/v1/agents/${instance.bootstrap.agentId}/profile`;
  const { json } = await instance.request('GET', path, { headers: session });
  return (json as { version: number }).version;
}

/** Resolves when the newest events are anchored: windows are anchored in order. */
async function anchored(instance: Instance, session: Session): Promise<void> {
  await eventually('all events are anchored', 120, async () => {
    const { json } = await instance.request('GET', '/v1/events?limit=1000', { headers: session });
    const { events } = json as { events: { anchored: boolean }[] };
    return events.every((event) => event.anchored) ? true : null;
  });
}
