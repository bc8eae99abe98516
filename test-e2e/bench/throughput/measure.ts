import type { Load, Outcome } from '../load/job.js';
import type { LoadGenerator } from '../load/load-generator.js';
import type { CatchUp } from '../subjects/followers.js';
import { cpuSecondsOf } from '../subjects/process-figures.js';
import type { Subject } from './subjects.js';

export interface Measurement {
  readonly subject: string;
  readonly load: Load;
  readonly outcome: Outcome;
  /** Answers a second relative to the bare server in the same repetition. */
  readonly ratio: number;
  /** CPU time per answer, all threads, µs: independent of the load of the machine. */
  readonly cpuMicros: number;
  /** The same with the followers' work. */
  readonly cpuMicrosWithFollowers: number;
  readonly catchUp: CatchUp | null;
}

export interface Generators {
  /** With a core of its own. */
  readonly apart: LoadGenerator;
  /** On any core. */
  readonly anywhere: LoadGenerator;
}

export interface Plan {
  readonly repetitions: number;
  readonly seconds: number;
  readonly progress: (line: string) => void;
  readonly loads: readonly PlannedLoad[];
  /** Called before the subjects get an open-loop load, with its rate. */
  readonly beforeOpenLoop?: (perSecond: number) => Promise<void>;
  /** Called before each load that counts; its result is called right after it. */
  readonly watch?: (subject: Subject, load: Load) => Promise<(outcome: Outcome) => Promise<void>>;
}

/** Connections of a closed loop, or requests a second of an open one. */
export interface PlannedLoad {
  readonly kind: Load['kind'];
  readonly size: number;
}

const WARM_UP_SECONDS = 3;
const OPEN_CONNECTIONS = 256;
export const MAX_REQUESTS = 2_000_000;

/**
 * Runs each load on each subject in turn, the bare server first, several times: disturbances of the machine
 * affect all of them. The next subject waits until the followers have processed the last load.
 */
export async function measureAll(
  bare: Subject,
  others: readonly Subject[],
  generators: Generators,
  plan: Plan,
): Promise<Measurement[]> {
  const subjects = [bare, ...others];
  for (const subject of subjects) {
    plan.progress(`warming up: ${subject.name}`);
    await measure(subject, loadOf('closed', 64, subject), generators, WARM_UP_SECONDS);
  }
  const measurements: Measurement[] = [];
  for (let repetition = 1; repetition <= plan.repetitions; repetition += 1) {
    for (const { kind, size } of plan.loads) {
      if (kind === 'open') await plan.beforeOpenLoop?.(size);
      let bareRate = Number.NaN;
      for (const subject of subjects) {
        plan.progress(`${repetition} of ${plan.repetitions}: ${kind} loop ${size}: ${subject.name}`);
        const load = loadOf(kind, size, subject);
        const watched = await plan.watch?.(subject, load);
        const measured = await measure(subject, load, generators, plan.seconds, watched);
        const { perSecond } = measured.outcome;
        if (subject === bare) bareRate = perSecond;
        measurements.push({ subject: subject.name, load, ratio: perSecond / bareRate, ...measured });
      }
    }
  }
  return measurements;
}

export function loadOf(kind: Load['kind'], size: number, subject: Pick<Subject, 'generatorAlone'>): Load {
  if (kind === 'closed') return { kind, connections: size };
  return { kind, perSecond: size, connections: OPEN_CONNECTIONS, spin: subject.generatorAlone };
}

async function measure(
  subject: Subject,
  load: Load,
  generators: Generators,
  seconds: number,
  watched?: (outcome: Outcome) => Promise<void>,
): Promise<Pick<Measurement, 'outcome' | 'cpuMicros' | 'cpuMicrosWithFollowers' | 'catchUp'>> {
  const generator = subject.sharesCores ? generators.anywhere : generators.apart;
  const before = await cpuSecondsOf(subject.pid);
  const outcome = await generator.run({ target: subject.target, load, seconds, maxRequests: MAX_REQUESTS });
  const micros = async (): Promise<number> => (((await cpuSecondsOf(subject.pid)) - before) * 1e6) / outcome.answered;
  const cpuMicros = await micros();
  await watched?.(outcome);
  const catchUp = await subject.settle(outcome);
  return { outcome, cpuMicros, cpuMicrosWithFollowers: await micros(), catchUp };
}
