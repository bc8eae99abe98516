import { createInterface } from 'node:readline/promises';
import { CommandFailed, EXIT } from '../exit-codes.js';

interface Refusal {
  readonly secondFactor?: { readonly token: string; readonly step: string };
}

/**
 * Asks the person at the terminal for the code that a sign-in needs in addition to the password.
 * @param text the answer with 403
 * @returns the body of `POST /v1/auth/second-factor`; `null`: the answer is another refusal
 * @throws CommandFailed without a terminal, and for a user who has to enrol first
 */
export async function secondStep(text: string): Promise<{ readonly token: string; readonly code: string } | null> {
  const { secondFactor } = refusalOf(text);
  if (secondFactor === undefined) return null;
  if (secondFactor.step !== 'code') {
    throw new CommandFailed(
      EXIT.wrong,
      'the account requires a second factor: sign in to the console once to enrol it',
    );
  }
  if (!process.stdin.isTTY) {
    throw new CommandFailed(
      EXIT.wrong,
      'the user has a second factor: run this at a terminal, which asks for its code, or as a user without one',
    );
  }
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return { token: secondFactor.token, code: (await terminal.question('Code of the authenticator: ')).trim() };
  } finally {
    terminal.close();
  }
}

/** Without members where a proxy has answered. */
function refusalOf(text: string): Refusal {
  try {
    return JSON.parse(text) as Refusal;
  } catch {
    return {};
  }
}
