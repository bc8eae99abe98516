import { setTimeout as sleep } from 'node:timers/promises';
import { openConnections } from './connection.js';
import type { Connection } from './connection.js';
import type { Job, OpenLoop, Outcome } from './job.js';
import { Tally } from './tally.js';

const GRACE_MS = 5000;
/** Longest pause between two polls of the clock, ms: maximum delay of sending a request, or noticing an answer. */
const PAUSE_MS = 0.1;
/** Maximum number of requests sent between two polls for answers, however many are due. */
const SENT_AT_ONCE = 64;

/** Queue of due requests, and the free connections. */
class Line {
  readonly #waiting: number[] = [];
  #first = 0;
  readonly free: Connection[] = [];

  push(dueAt: number): void {
    this.#waiting.push(dueAt);
  }

  get length(): number {
    return this.#waiting.length - this.#first;
  }

  shift(): number {
    const due = this.#waiting[this.#first]!;
    this.#first += 1;
    return due;
  }
}

export async function openLoop(job: Job, load: OpenLoop): Promise<Outcome> {
  const { requests } = job.target;
  const line = new Line();
  let next = 0;
  let endsAt = Number.POSITIVE_INFINITY;
  let countsFrom = 0;
  let tally: Tally | null = null;
  const send = (): void => {
    while (line.length > 0) {
      const connection = line.free.pop();
      if (connection === undefined) return;
      if (connection.broken) continue;
      const dueAt = line.shift();
      if (dueAt >= countsFrom) tally?.sent(performance.now() - dueAt);
      connection.send(requests[next++ % requests.length]!, dueAt);
    }
  };
  const connections = await openConnections(load.connections, job.target, (connection, status) => {
    const now = performance.now();
    if (connection.begunAt < countsFrom) tally?.answered(status, null);
    else if (now <= endsAt) tally?.answered(status, now - connection.begunAt);
    else tally?.late(status, now - connection.begunAt);
    if (!connection.broken) line.free.push(connection);
    if (line.length > 0) send();
  });
  line.free.push(...connections);
  const counted = (tally = new Tally());
  const begunAt = performance.now();
  endsAt = begunAt + job.seconds * 1000;
  const leadSeconds = load.leadSeconds ?? 0;
  countsFrom = begunAt + leadSeconds * 1000;
  await arrivals(job, load, begunAt, endsAt, (dueAt) => {
    line.push(dueAt);
    send();
  });
  const cutAt = performance.now() + GRACE_MS;
  const underWay = (): boolean => line.length > 0 || connections.some(({ busy, broken }) => busy && !broken);
  while (performance.now() < cutAt && underWay()) await sleep(1);
  for (let left = line.length; left > 0; left -= 1) counted.answered(0, null);
  for (const connection of connections) {
    if (connection.busy && !connection.broken) counted.answered(0, null);
    tally = null;
    connection.close();
  }
  return counted.outcome(job.seconds - leadSeconds);
}

/** Calls `arrive` with each due time when it has come. */
function arrivals(
  job: Job,
  load: OpenLoop,
  begunAt: number,
  endsAt: number,
  arrive: (dueAt: number) => void,
): Promise<void> {
  const sleeper = new Int32Array(new SharedArrayBuffer(4));
  const gap = (): number => (-Math.log(1 - Math.random()) * 1000) / load.perSecond;
  let dueAt = begunAt + gap();
  let count = 0;
  return new Promise((resolve) => {
    const look = (): void => {
      let now = performance.now();
      for (let sent = 0; dueAt <= now && sent < SENT_AT_ONCE; sent += 1) {
        if (dueAt > endsAt || count >= job.maxRequests) return resolve();
        count += 1;
        arrive(dueAt);
        dueAt += gap();
        now = performance.now();
      }
      if (!load.spin && dueAt > now) Atomics.wait(sleeper, 0, 0, Math.min(PAUSE_MS, dueAt - now));
      setImmediate(look);
    };
    look();
  });
}
