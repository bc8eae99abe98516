import { setTimeout as sleep } from 'node:timers/promises';
import { openConnections } from './connection.js';
import type { ClosedLoop, Job, Outcome } from './job.js';
import { Tally } from './tally.js';

/** Grace period for answers after the last request, ms. */
const GRACE_MS = 5000;

export async function closedLoop(job: Job, load: ClosedLoop): Promise<Outcome> {
  const { requests } = job.target;
  let next = 0;
  let sent = 0;
  let until = Number.POSITIVE_INFINITY;
  const tally: { current: Tally | null } = { current: null };
  const connections = await openConnections(load.connections, job.target, (connection, status) => {
    const now = performance.now();
    tally.current?.answered(status, now <= until ? now - connection.begunAt : null);
    if (now < until && sent < job.maxRequests && !connection.broken) {
      sent += 1;
      connection.send(requests[next++ % requests.length]!, now);
    }
  });
  const counted = (tally.current = new Tally());
  const begunAt = performance.now();
  until = begunAt + job.seconds * 1000;
  for (const connection of connections.slice(0, job.maxRequests)) {
    sent += 1;
    connection.send(requests[next++ % requests.length]!, performance.now());
  }
  while (performance.now() < until && connections.some(({ busy, broken }) => busy && !broken)) await sleep(5);
  const seconds = Math.min(job.seconds, (performance.now() - begunAt) / 1000);
  const cutAt = performance.now() + GRACE_MS;
  while (performance.now() < cutAt && connections.some(({ busy, broken }) => busy && !broken)) await sleep(1);
  for (const connection of connections) {
    if (connection.busy && !connection.broken) counted.answered(0, null);
    tally.current = null;
    connection.close();
  }
  return counted.outcome(seconds);
}
