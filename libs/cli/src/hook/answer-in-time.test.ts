import { refusal, SILENT } from './answer.js';
import { answerInTime } from './answer-in-time.js';

describe('the answer of a hook', () => {
  it('is a refusal once the timeout has passed, whatever is pending', async () => {
    const stuck = await answerInTime(50, () => new Promise(() => undefined), refusal);
    expect(stuck).toEqual({ code: 2, stdout: '', stderr: 'there was no answer within 50 ms\n' });
  });

  it('leaves its parts less than the whole timeout, and at least 1 ms', async () => {
    const lefts: number[] = [];
    const answer = (leftMs: () => number) => {
      lefts.push(leftMs());
      return Promise.resolve(SILENT);
    };
    for (const timeoutMs of [1, 5000]) await answerInTime(timeoutMs, answer, refusal);
    expect(lefts[0]).toBe(1);
    expect([lefts[1]! > 1, lefts[1]! <= 4500]).toEqual([true, true]);
  });

  it('is a refusal after a failure, and passed on unchanged otherwise', async () => {
    const failed = await answerInTime(5000, () => Promise.reject(new Error('lost')), refusal);
    expect(failed).toEqual({ code: 2, stdout: '', stderr: 'lost\n' });
    const said = { code: 0, stdout: '{"allowed":true}\n', stderr: '' };
    expect(await answerInTime(5000, () => Promise.resolve(said), refusal)).toEqual(said);
  });

  it('is built by the given function after a failure', async () => {
    const notRecorded = (why: string) => ({ ...SILENT, code: 1, stderr: `not recorded: ${why}` });
    const failed = await answerInTime(5000, () => Promise.reject(new Error('lost')), notRecorded);
    expect(failed).toEqual({ code: 1, stdout: '', stderr: 'not recorded: lost' });
  });
});
