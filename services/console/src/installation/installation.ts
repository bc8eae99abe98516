import type { InstallationState } from '@countersign/contracts';
import type { ServiceContext } from '@countersign/service-kit';
import { figuresOf, METRICS } from './figures.js';
import type { ReadProcess } from './figures.js';
import { readProbe } from './probe.js';
import type { Probe } from './probe.js';

type Services = InstallationState['services'];

/** Several readers within this time get one answer, ms. */
const FOR_MS = 1000;
/** The whole of the embedded profile. */
const PROCESS = 'countersign';

/** Reads the state of the services of the installation; may be called as often as people ask. */
export type ReadInstallation = () => Promise<InstallationState>;

type Sources = Pick<ServiceContext, 'config' | 'processView' | 'clock'>;

/** @returns `null` where `COUNTERSIGN_CONSOLE_OPERATIONS` is off, or the process is not described to its services */
export function openInstallation({ config, processView, clock }: Sources): ReadInstallation | null {
  const { consoleOperations: on, metricsToken } = config;
  if (on === null) return null;
  const { probes } = on;
  if (probes.length === 0 && processView === null) return null;
  const read = async (): Promise<InstallationState> => {
    const found = probes.length === 0 ? await ofThisProcess(processView!) : await ofAddresses(probes, metricsToken);
    const services = [...found.services].sort((one, other) => (one.name < other.name ? -1 : 1));
    return { asOf: new Date(clock()).toISOString(), services, ...figuresOf(found.processes) };
  };
  return shared(read, FOR_MS, () => performance.now());
}

interface Found {
  readonly services: Services;
  readonly processes: readonly ReadProcess[];
}

async function ofAddresses(probes: readonly Probe[], token: string | null): Promise<Found> {
  const probed = (await Promise.all(probes.map((probe) => readProbe(probe, token)))).flat();
  return {
    services: probed.map(({ service }) => service),
    processes: probed.map(({ service, samples }) => ({ name: service.name, samples })),
  };
}

/** Reasons are written `<service>: <what it waits for>`; one of no service is of the process itself. */
async function ofThisProcess(view: NonNullable<ServiceContext['processView']>): Promise<Found> {
  const { services, notReady, samples } = await view(METRICS);
  const reasons = new Map<string, string[]>(services.map((name) => [name, []]));
  for (const reason of notReady) {
    const service = services.find((name) => reason.startsWith(`${name}: `));
    const text = service === undefined ? reason : reason.slice(service.length + 2);
    const name = service ?? PROCESS;
    reasons.set(name, [...(reasons.get(name) ?? []), text]);
  }
  return {
    services: [...reasons].map(([name, waitingFor]) => ({
      name,
      state: waitingFor.length === 0 ? ('ready' as const) : ('waiting' as const),
      waitingFor,
      problem: null,
    })),
    processes: [{ name: PROCESS, samples }],
  };
}

/** One reading at a time, whose result holds for a while. A failure is forgotten at once. */
export function shared<T>(read: () => Promise<T>, forMs: number, now: () => number): () => Promise<T> {
  let reading: Promise<T> | null = null;
  let endsAt = Infinity;
  return () => {
    if (reading !== null && now() < endsAt) return reading;
    endsAt = Infinity;
    const started = read();
    reading = started;
    const forget = (): void => {
      if (reading === started) reading = null;
    };
    started.then(() => (endsAt = now() + forMs), forget);
    return started;
  };
}
