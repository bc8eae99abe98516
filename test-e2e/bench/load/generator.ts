import { closedLoop } from './closed-loop.js';
import type { Job, Outcome } from './job.js';
import { openLoop } from './open-loop.js';

/** Program: takes jobs from its parent process, one at a time, and answers each with its outcome. */
process.on('message', (job: Job) => {
  run(job).then(
    (outcome) => process.send?.({ outcome }),
    (error: unknown) => process.send?.({ error: String(error) }),
  );
});
process.on('disconnect', () => process.exit());

function run(job: Job): Promise<Outcome> {
  return job.load.kind === 'closed' ? closedLoop(job, job.load) : openLoop(job, job.load);
}
