/** How a hook ends: what it prints, and its exit code. */
export interface HookAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Programs that run hooks take 2, and no other code, for a refusal. */
export const HOOK_EXIT = { allowed: 0, notReported: 1, denied: 2 } as const;

/** Refused in the words of every program: exit code 2, and why on standard error. */
export function refusal(words: string, stdout = ''): HookAnswer {
  return { code: HOOK_EXIT.denied, stdout, stderr: `${words}\n` };
}

export const SILENT: HookAnswer = { code: HOOK_EXIT.allowed, stdout: '', stderr: '' };

/** An outcome that was not recorded: nothing can be stopped any more, and the model cannot mend it. */
export function notReported(why: string): HookAnswer {
  return { code: HOOK_EXIT.notReported, stdout: '', stderr: `countersign: the outcome is not recorded: ${why}\n` };
}

export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
