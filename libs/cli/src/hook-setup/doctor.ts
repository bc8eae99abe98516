import { existsSync } from 'node:fs';
import { canary } from './canary.js';
import { routeOf } from './install.js';
import { entryIn } from './run-hook.js';
import { asksRoute, readSettings } from './settings-file.js';
import { SETUP_TOOLS, TOOL_SETUPS } from './tool-setups.js';
import type { Json, Scope, SetupTool } from './tool-setups.js';

/** Findings about one tool. */
export interface Diagnosis {
  readonly tool: SetupTool;
  /** `absent`: the tool is not in use here; `uncovered`: it is, and has no hook. */
  readonly state: 'absent' | 'uncovered' | 'installed';
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

/**
 * Examines the hooks of every tool in the settings of the user and of the project, and runs a canary through each.
 * @param apiKey `undefined`: not set, so nothing is run
 */
export async function diagnose(cwd: string, apiKey: string | undefined): Promise<readonly Diagnosis[]> {
  const found: Diagnosis[] = [];
  for (const tool of SETUP_TOOLS) found.push(await diagnoseTool(tool, cwd, apiKey));
  return found;
}

async function diagnoseTool(tool: SetupTool, cwd: string, apiKey: string | undefined): Promise<Diagnosis> {
  const setup = TOOL_SETUPS[tool];
  const problems: string[] = [];
  const notes: string[] = [];
  let installed = 0;
  for (const scope of ['user', 'project'] as const) {
    const file = setup.file(scope, cwd);
    // In the home folder both are one.
    if (scope === 'project' && file === setup.file('user', cwd)) continue;
    const { value, problem } = await settingsIn(file);
    if (problem !== null) problems.push(problem);
    if (value['disableAllHooks'] === true) problems.push(`${file} has "disableAllHooks": true`);
    for (const entry of entriesOf(value, setup.event).filter((one) => asksRoute(one, routeOf(tool)))) {
      installed += 1;
      problems.push(...(await problemsOf(tool, entry, file, scope, apiKey)));
    }
  }
  if (installed > 1) problems.push('the hook is installed more than once: each call is checked as often');
  if (installed === 0) {
    return { tool, state: existsSync(setup.folder()) ? 'uncovered' : 'absent', problems, notes };
  }
  notes.push(...setup.uncovered.map((gap) => `not covered: ${gap}`));
  return { tool, state: 'installed', problems, notes };
}

async function settingsIn(file: string): Promise<{ readonly value: Json; readonly problem: string | null }> {
  try {
    return { value: (await readSettings(file)).value, problem: null };
  } catch (error) {
    return { value: {}, problem: error instanceof Error ? error.message : String(error) };
  }
}

function entriesOf(value: Json, event: string): readonly Json[] {
  const entries = ((value['hooks'] ?? {}) as Json)[event];
  return Array.isArray(entries) ? (entries as readonly Json[]) : [];
}

async function problemsOf(
  tool: SetupTool,
  entry: Json,
  file: string,
  scope: Scope,
  apiKey: string | undefined,
): Promise<readonly string[]> {
  const setup = TOOL_SETUPS[tool];
  const where = `the hook of the ${scope} in ${file}`;
  const problems: string[] = [];
  const matcher = entry['matcher'] ?? '';
  if (matcher !== '' && matcher !== '*')
    problems.push(`${where}: it runs for the tools ${JSON.stringify(matcher)} only`);
  const wrong = setup.problem(entryIn(entry));
  if (wrong !== null) problems.push(`${where}: ${wrong}`);
  const needsKey = JSON.stringify(entry).includes('$COUNTERSIGN_API_KEY');
  if (needsKey && apiKey === undefined) {
    return [...problems, `${where}: COUNTERSIGN_API_KEY is not set here, so every call is denied`];
  }
  const address = new RegExp(`(https?://[^'"\\s]+?)${routeOf(tool)}`).exec(JSON.stringify(entry))?.[1] ?? '';
  const env = apiKey === undefined ? {} : { COUNTERSIGN_API_KEY: apiKey };
  for (const { what, holds, detail } of await canary(setup, entry, address, env)) {
    if (!holds) problems.push(`${where}: it is not true that ${what} (${detail})`);
  }
  return problems;
}
