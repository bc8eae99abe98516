/** Jest's globals that jest-light-runner leaves out: time limits of tests and hooks, and timers that await. */
import { ModernFakeTimers } from '@jest/fake-timers';
import { bind } from 'jest-each';

/** A change on the distributed profile takes a few hundred milliseconds where two cores hold servers and tests. */
const DEFAULT_LIMIT_MS = 90_000;
/** In a process of lower priority (`jest-runner.mjs`) everything takes longer. */
const PATIENCE = process.env.COUNTERSIGN_TEST_BEHIND === 'true' ? 4 : 1;

// Tests may replace them.
const { setTimeout, clearTimeout } = globalThis;

function limited(fn, limitMs = DEFAULT_LIMIT_MS) {
  if (typeof fn !== 'function') return fn;
  return async () => {
    let timer;
    const tooLate = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`not done within ${PATIENCE * limitMs} ms`)), PATIENCE * limitMs);
    });
    try {
      return await Promise.race([fn(), tooLate]);
    } finally {
      clearTimeout(timer);
    }
  };
}

function withLimit(define) {
  const test = (name, fn, limitMs) => define(name, limited(fn, limitMs));
  test.each = bind(test);
  return test;
}

const { it, beforeAll, beforeEach, afterAll, afterEach } = globalThis;
globalThis.it = globalThis.test = Object.assign(withLimit(it), {
  only: withLimit(it.only),
  skip: withLimit(it.skip),
  todo: it.todo,
});
globalThis.beforeAll = (fn, limitMs) => beforeAll(limited(fn, limitMs));
globalThis.beforeEach = (fn, limitMs) => beforeEach(limited(fn, limitMs));
globalThis.afterAll = (fn, limitMs) => afterAll(limited(fn, limitMs));
globalThis.afterEach = (fn, limitMs) => afterEach(limited(fn, limitMs));

const timers = new ModernFakeTimers({ config: { fakeTimers: {} }, global: globalThis });
Object.assign(globalThis.jest, {
  useFakeTimers: () => timers.useFakeTimers(),
  useRealTimers: () => timers.useRealTimers(),
  advanceTimersByTimeAsync: (ms) => timers.advanceTimersByTimeAsync(ms),
});
