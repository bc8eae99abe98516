import { closeSync, fdatasyncSync, openSync, writeSync } from 'node:fs';
import type { Latencies } from '../load/job.js';
import { Samples } from '../load/samples.js';

/** Limits of the disk for a server that answers only after a sync. */
export interface DiskFigures {
  /** Of one write with its sync, ms. */
  readonly sync: Latencies;
  /** Per record, from its due time until its group was synced, ms. */
  readonly record: Latencies;
  readonly syncsPerSecond: number;
}

const RECORD_BYTES = 4096;
/** The file is preallocated before the measurement, like a log that is overwritten from its start. */
const FILE_BYTES = 16 * 1024 * 1024;

/**
 * Program: writes and syncs (`fdatasync`) records due at the times of a Poisson process in groups, each group
 * all that is due. Arguments: file, records a second, seconds. Sends its parent `DiskFigures`.
 */
const [file = '', perSecond = '0', seconds = '0'] = process.argv.slice(2);
const descriptor = openSync(file, 'w');
const bytes = Buffer.alloc(1024 * 1024, 'r');
for (let at = 0; at < FILE_BYTES; at += bytes.length) writeSync(descriptor, bytes, 0, bytes.length, at);
fdatasyncSync(descriptor);

const sleeper = new Int32Array(new SharedArrayBuffer(4));
const gap = (): number => (-Math.log(1 - Math.random()) * 1000) / Number(perSecond);
const syncs = new Samples();
const records = new Samples();
const endsAt = performance.now() + Number(seconds) * 1000;
let dueAt = performance.now() + gap();
let offset = 0;
let count = 0;
while (dueAt < endsAt) {
  const wait = dueAt - performance.now();
  if (wait > 0) Atomics.wait(sleeper, 0, 0, wait);
  const begunAt = performance.now();
  const due: number[] = [];
  for (; dueAt <= begunAt; dueAt += gap()) due.push(dueAt);
  if (due.length === 0) continue;
  const length = Math.min(due.length * RECORD_BYTES, bytes.length);
  if (offset + length > FILE_BYTES) offset = 0;
  writeSync(descriptor, bytes, 0, length, offset);
  fdatasyncSync(descriptor);
  offset += length;
  count += 1;
  const endedAt = performance.now();
  syncs.add(endedAt - begunAt);
  for (const at of due) records.add(endedAt - at);
}
closeSync(descriptor);
const figures: DiskFigures = {
  sync: syncs.latencies(),
  record: records.latencies(),
  syncsPerSecond: count / Number(seconds),
};
process.send?.(figures, () => process.disconnect());
