/** Exit codes of the commands (`verify`: evidence.md; `fsck`: 0 clean, 1 findings, 3 in use). */
export const EXIT = { holds: 0, wrong: 1, unchecked: 2, inUse: 3, usage: 64 } as const;

/** Ends the command with this exit code and one line on standard error. */
export class CommandFailed extends Error {
  override readonly name = 'CommandFailed';
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}
