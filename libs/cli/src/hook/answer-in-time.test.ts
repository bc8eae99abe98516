import { refusal, SILENT } from './answer.js';
import { answerInTime } from './answer-in-time.js';

describe('the answer of a hook', () => {
  it('is a refusal when its time is over, whatever it waits for', async () => {
    const stuck = await answerInTime(50, () => new Promise(() => undefined), refusal);
    expect(stuck).toEqual({ code: 2, stdout: '', stderr: 'there was no answer within 50 ms\n' });
  });

  it('has parts that are given less than all of the time, and never none', async () => {
    const lefts: number[] = [];
    const answer = (leftMs: () => number) => {
      lefts.push(leftMs());
      return Promise.resolve(SILENT);
    };
    for (const timeoutMs of [1, 5000]) await answerInTime(timeoutMs, answer, refusal);
    expect(lefts[0]).toBe(1);
    expect([lefts[1]! > 1, lefts[1]! <= 4500]).toEqual([true, true]);
  });

  it('is a refusal where it fails, and what it is where it is there', async () => {
    const failed = await answerInTime(5000, () => Promise.reject(new Error('lost')), refusal);
    expect(failed).toEqual({ code: 2, stdout: '', stderr: 'lost\n' });
    const said = { code: 0, stdout: '{"allowed":true}\n', stderr: '' };
    expect(await answerInTime(5000, () => Promise.resolve(said), refusal)).toEqual(said);
  });

  it('fails in the words that it is given', async () => {
    const words = (why: string) => ({ ...SILENT, code: 1, stderr: `not recorded: ${why}` });
    const failed = await answerInTime(5000, () => Promise.reject(new Error('lost')), words);
    expect(failed).toEqual({ code: 1, stdout: '', stderr: 'not recorded: lost' });
  });
});
