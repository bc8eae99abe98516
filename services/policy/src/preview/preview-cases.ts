import { runInSlices, Semaphore } from '@countersign/async';
import type { BehaviorProfile, ProfilePreview } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/http-edge';
import { notNow } from '../change-agent/agent-changes.js';
import { caseFailureText } from '../policy-file/case-failure-text.js';
import { PolicyFileProblem, readCase } from '../policy-file/read-policy-file.js';
import type { PolicyCase } from '../policy-file/read-policy-file.js';
import { runCaseInSlices } from '../policy-file/run-cases.js';

/** Most checks of one call, and most characters of their actions. */
const MOST_CHECKS = 10_000;
const MOST_CHARACTERS = 16 * 1024 * 1024;

const AT_ONCE = new Semaphore(2);
/** Accounts whose cases are being run. */
const running = new Set<string>();

/** @throws HttpRefusal 400 for a case that is not well formed, or more than one call runs */
export function readCases(cases: readonly unknown[]): readonly PolicyCase[] {
  const read = cases.map((one, n) => {
    try {
      return readCase(one, `cases[${n}]`);
    } catch (error) {
      throw error instanceof PolicyFileProblem ? new HttpRefusal(400, error.message) : error;
    }
  });
  const steps = read.flatMap((one) => one.steps);
  const checks = steps.reduce((sum, { times }) => sum + times, 0);
  const characters = steps.reduce((sum, { action, times }) => sum + times * JSON.stringify(action).length, 0);
  if (checks > MOST_CHECKS || characters > MOST_CHARACTERS) {
    throw new HttpRefusal(
      400,
      `the cases are ${checks} checks with ${characters} characters of actions, more than ${MOST_CHECKS} or ${MOST_CHARACTERS}: run them by countersign policy test`,
    );
  }
  return read;
}

/**
 * Runs cases under a profile, in time slices.
 * @throws HttpRefusal 503 where others of the account, or of two other accounts, are being run
 */
export async function previewCases(
  accountId: string,
  profile: BehaviorProfile,
  cases: readonly PolicyCase[],
): Promise<NonNullable<ProfilePreview['cases']>> {
  if (AT_ONCE.free === 0 || running.has(accountId)) {
    throw notNow('the cases of other drafts are being run: try again when they have ended');
  }
  running.add(accountId);
  try {
    const failures = await AT_ONCE.run(() => runInSlices(failuresOf(profile, cases)));
    return { total: cases.length, failures };
  } finally {
    running.delete(accountId);
  }
}

type Failure = NonNullable<ProfilePreview['cases']>['failures'][number];

function* failuresOf(
  profile: BehaviorProfile,
  cases: readonly PolicyCase[],
): Generator<undefined, readonly Failure[], undefined> {
  const failures: Failure[] = [];
  for (const one of cases) {
    const failure = yield* runCaseInSlices(profile, one);
    if (failure !== null) failures.push({ title: failure.title, text: caseFailureText(failure) });
  }
  return failures;
}
