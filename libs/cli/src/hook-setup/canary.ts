import { runHook } from './run-hook.js';
import { CANARY } from './tool-setups.js';
import type { HookRun, Json, ToolSetup } from './tool-setups.js';

/** One line of a proof. */
export interface CanaryResult {
  readonly what: string;
  readonly holds: boolean;
  readonly detail: string;
}

/** Nothing listens at this port. */
const CLOSED = 'http://127.0.0.1:1';

/** Reports whether an answer comes from a check, and not from a refusal of the request. */
const NOT_DECIDED = 'Countersign did not decide';

/**
 * Runs an installed entry as its tool would: with a call that nothing allows, with an ordinary call, and with a Countersign
 * that does not answer.
 * @param env variables that the entry reads
 */
export async function canary(
  setup: ToolSetup,
  entry: Json,
  baseUrl: string,
  env: Readonly<Record<string, string>>,
): Promise<readonly CanaryResult[]> {
  const denied = await runHook(entry, CANARY, env);
  const called = await runHook(entry, setup.call, env);
  const away = JSON.parse(JSON.stringify(entry).replaceAll(baseUrl, CLOSED)) as Json;
  const unreachable = await runHook(away, setup.call, env);
  return [
    { what: 'a denial blocks', holds: setup.blocks(denied), detail: shown(denied) },
    {
      what: 'a call is decided and recorded',
      holds: called.code === 0 && !called.stdout.includes(NOT_DECIDED),
      detail: shown(called),
    },
    {
      what: 'a call is blocked while Countersign cannot be reached',
      holds: setup.blocks(unreachable),
      detail: shown(unreachable),
    },
  ];
}

function shown({ code, stdout, stderr }: HookRun): string {
  const text = (stdout.trim() === '' ? stderr : stdout).trim();
  return `exit code ${code ?? 'none'}${text === '' ? '' : `: ${text.slice(0, 300)}`}`;
}
