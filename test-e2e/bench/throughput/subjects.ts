import type { ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Outcome, Target } from '../load/job.js';
import { Countersign } from '../subjects/countersign.js';
import { catchUp, followed } from '../subjects/followers.js';
import type { CatchUp } from '../subjects/followers.js';
import { json } from '../subjects/http.js';
import { ended, startProgram } from '../subjects/program.js';
import { checkBody, checkRequests, PROFILE } from '../subjects/requests.js';

/** A server under measurement; all answer the same requests. */
export interface Subject {
  readonly name: string;
  readonly target: Target;
  /** It uses the generator's core as well: the generator runs on any core. */
  readonly sharesCores: boolean;
  /** Nothing else is pinned to the generator's core: it may poll the clock without pause. */
  readonly generatorAlone: boolean;
  /** Of its process. */
  readonly pid: number;
  /** Called after each load with its outcome; resolves when all followers have caught up. */
  settle(outcome: Outcome): Promise<CatchUp | null>;
  stop(): Promise<void>;
}

const AGENTS = 16;
const CATCH_UP_SECONDS = 600;
const BARE = fileURLToPath(new URL('../subjects/bare-server.js', import.meta.url));

/**
 * @param like provides the requests, so that both answer the same bodies
 * @param answers `refuse`: 503 at once, whatever is asked
 */
export async function startBare(
  core: number | undefined,
  like: Target,
  answers: 'allow' | 'refuse' = 'allow',
): Promise<Subject> {
  const child: ChildProcess = startProgram(BARE, [answers], { core });
  const port = await new Promise<number>((resolve, reject) => {
    child.once('message', (message) => resolve(message as number));
    child.once('exit', () => reject(new Error('the bare server ended')));
  });
  return {
    name: 'bare node:http, 1 core',
    target: { ...like, port },
    sharesCores: false,
    generatorAlone: true,
    pid: child.pid!,
    settle: () => Promise.resolve(null),
    async stop() {
      child.disconnect();
      await ended(child);
    },
  };
}

/** Profile of the agents, and payload of the load's checks. */
export interface Asked {
  readonly profile: object;
  /** Default: a few short members. */
  readonly payload?: object;
}

/** Creates a data directory with agents, then runs only its gateway. */
export async function startGatewayAlone(
  folder: string,
  core: number | undefined,
  asked: Asked = { profile: PROFILE },
): Promise<Subject> {
  const dataDir = join(folder, 'gateway');
  const whole = await Countersign.start({ dataDir, core });
  const agentIds = await makeAgents(whole, asked);
  await whole.stop();
  const instance = await Countersign.start({ dataDir, core, gatewayOnly: true });
  return {
    name: 'gateway alone, 1 core',
    target: targetOf(instance, agentIds, asked.payload),
    sharesCores: false,
    generatorAlone: true,
    pid: instance.child.pid!,
    settle: () => Promise.resolve(null),
    stop: () => instance.stop(),
  };
}

export async function startWhole(folder: string, core: number | undefined): Promise<Subject> {
  const cores = core === undefined ? '2 cores' : '1 core';
  const instance = await Countersign.start({ dataDir: join(folder, `whole-${cores.replace(' ', '-')}`), core });
  const agentIds = await makeAgents(instance);
  const session = await instance.session();
  let { checks } = await followed(instance, session);
  return {
    name: `whole standalone, ${cores}`,
    target: targetOf(instance, agentIds),
    sharesCores: core === undefined,
    generatorAlone: core !== undefined,
    pid: instance.child.pid!,
    async settle({ answered, failures }) {
      const unanswered = Object.values(failures).reduce((sum, count) => sum + count, 0);
      const expected = { answered: checks + answered, unanswered };
      const caughtUp = await catchUp(instance, session, expected, CATCH_UP_SECONDS);
      checks = caughtUp.checks;
      return caughtUp;
    },
    stop: () => instance.stop(),
  };
}

/** The checks of some agents, sent to the instance by its key. */
export function targetOf(
  { bootstrap }: Pick<Countersign, 'bootstrap'>,
  agentIds: readonly string[],
  payload?: object,
): Target {
  const { hostname, port } = new URL(bootstrap.baseUrl);
  return { host: hostname, port: Number(port), requests: checkRequests({ ...bootstrap, agentIds }, payload) };
}

/**
 * Creates agents whose checks are allowed.
 * @param instance of either profile
 * @throws where a check of one is denied: what denials cost is not what a bench of checks is to measure
 */
export async function makeAgents(
  instance: Pick<Countersign, 'bootstrap' | 'session'>,
  { profile, payload }: Asked = { profile: PROFILE },
): Promise<string[]> {
  const { baseUrl } = instance.bootstrap;
  const session = await instance.session();
  const ids: string[] = [];
  for (let i = 1; i <= AGENTS; i += 1) {
    const { id } = await json<{ id: string }>(baseUrl, 'POST', '/v1/agents', session, { name: `Agent ${i}` });
    await json(baseUrl, 'PATCH', `/v1/agents/${id}/profile`, session, profile);
    ids.push(id);
  }
  const check = checkBody(ids[0]!, payload);
  const path = `/v1/agents/${ids[0]}/explain`;
  const { answer } = await json<{ answer: { allowed: boolean } }>(baseUrl, 'POST', path, session, check);
  if (!answer.allowed) throw new Error(`a check is denied: ${JSON.stringify(answer)}`);
  return ids;
}
