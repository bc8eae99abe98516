import { secondStep } from './second-step.js';

describe('the second step of a sign-in', () => {
  const refusal = (step: string): string => JSON.stringify({ error: 'x', secondFactor: { token: 't', step } });

  it('is asked for at a terminal alone, and never printed with its token', async () => {
    const isTTY = process.stdin.isTTY;
    process.stdin.isTTY = false;
    try {
      await expect(secondStep(refusal('code'))).rejects.toThrow(
        /^the user has a second factor: run this at a terminal/,
      );
    } finally {
      process.stdin.isTTY = isTTY;
    }
    await expect(secondStep(refusal('enrolment'))).rejects.toThrow('sign in to the console once');
  });

  it('is none after another refusal', async () => {
    expect(await secondStep('{"error":"passwords are refused"}')).toBeNull();
    expect(await secondStep('<html>')).toBeNull();
  });
});
