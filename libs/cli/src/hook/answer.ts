/** Result of a hook: its output and exit code. */
export interface HookAnswer {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Programs that run hooks treat 2, and no other code, as a refusal. */
export const HOOK_EXIT = { allowed: 0, notReported: 1, denied: 2 } as const;

/** A refusal in the form that every program understands: exit code 2, and the reason on standard error. */
export function refusal(message: string, stdout = ''): HookAnswer {
  return { code: HOOK_EXIT.denied, stdout, stderr: `${message}\n` };
}

export const SILENT: HookAnswer = { code: HOOK_EXIT.allowed, stdout: '', stderr: '' };

/** An outcome that was not recorded: the action can no longer be stopped, and the model cannot repair it. */
export function notReported(why: string): HookAnswer {
  return { code: HOOK_EXIT.notReported, stdout: '', stderr: `countersign: the outcome is not recorded: ${why}\n` };
}

export const errorMessage = (error: unknown): string => (error instanceof Error ? error.message : String(error));
