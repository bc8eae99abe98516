/** The message of what was thrown: of an `Error` its own, of anything else its text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
