import { LogInDoubt, LogRefused } from '../port.js';
import { AppendCall } from './append-call.js';

describe('the outcome of a call', () => {
  it('is its offsets, in the order of its records, when all are in the log', async () => {
    const call = new AppendCall(2, 0);
    call.appended(1, 4, 70);
    call.appended(0, 3, 9);
    await expect(call.promise).resolves.toEqual([
      { partition: 3, offset: 9 },
      { partition: 4, offset: 70 },
    ]);
  });

  it('is refused when nothing is in the log', async () => {
    const call = new AppendCall(2, 0);
    call.refuse('too large');
    call.refuse('too large as well');
    await expect(call.promise).rejects.toEqual(new LogRefused('too large'));
  });

  it('is in doubt when one record is in the log and another is not', async () => {
    const call = new AppendCall(2, 0);
    call.appended(0, 0, 1);
    call.refuse('too large');
    await expect(call.promise).rejects.toBeInstanceOf(LogInDoubt);
  });

  it('is refused at the deadline when nothing was sent, or what was sent was refused', async () => {
    const call = new AppendCall(1, 0);
    call.sent();
    call.answered();
    call.expire('late');
    expect(call.over).toBe(true);
    await expect(call.promise).rejects.toBeInstanceOf(LogRefused);
  });

  it('is in doubt at the deadline while a record has no answer, and stays so', async () => {
    const call = new AppendCall(1, 0);
    call.sent();
    call.expire('late');
    call.appended(0, 0, 1);
    await expect(call.promise).rejects.toEqual(new LogInDoubt('late'));
  });

  it('is in doubt when a record was sent twice and refused the second time', async () => {
    const call = new AppendCall(1, 0);
    call.doubt();
    call.refuse('no leader');
    await expect(call.promise).rejects.toBeInstanceOf(LogInDoubt);
  });
});
