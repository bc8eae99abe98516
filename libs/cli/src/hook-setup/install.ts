import { homedir } from 'node:os';
import { basename, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { inheritedEnvironment } from '@countersign/process/client-environment';
import type { HookSettings } from '../hook/settings.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { canary } from './canary.js';
import { applyChange, changeLines, jsonLike, readSettings, withHooks, writePrivately } from './settings-file.js';
import { TOOL_SETUPS } from './tool-setups.js';
import type { Scope, SetupTool } from './tool-setups.js';

export interface InstallOptions {
  readonly scope: Scope;
  readonly cwd: string;
  /** Writes without asking. */
  readonly yes: boolean;
  /** Shows the change only. */
  readonly dryRun: boolean;
}

interface Terminal {
  readonly input: NodeJS.ReadStream;
  readonly output: NodeJS.WritableStream;
}

/** Path of a tool's route: entries of hooks are recognized by it. */
export function routeOf(tool: SetupTool): string {
  return `/v1/hooks/${tool}`;
}

/** The file with the headers of a tool's commands: arguments of a process can be read by every user, and this file cannot. */
export function headersFileOf(tool: SetupTool): string {
  const config = inheritedEnvironment()['XDG_CONFIG_HOME'] ?? join(homedir(), '.config');
  return join(config, 'countersign', `hook-${tool}.headers`);
}

/**
 * Shows how the settings of a tool change, writes them with a copy of those before, and proves the written hook.
 * @throws CommandFailed 64 if nothing may be written; 1 if a proof fails, with the settings written
 */
export async function installHook(
  tool: SetupTool,
  { apiKey, agentId, baseUrl }: HookSettings,
  { scope, cwd, yes, dryRun }: InstallOptions,
  { input, output }: Terminal,
): Promise<void> {
  const say = (line: string): void => void output.write(`${line}\n`);
  const setup = TOOL_SETUPS[tool];
  const file = setup.file(scope, cwd);
  const address = baseUrl.replace(/\/+$/, '');
  const headersFile = headersFileOf(tool);
  const hooks = setup.hooks({ url: address + routeOf(tool), agentId, headersFile });
  const { text, value } = await readSettings(file);
  const after = jsonLike(text, withHooks(value, setup.base, hooks, routeOf(tool), file));
  const change = { file, before: text, after };
  const lines = changeLines(change);
  say(lines.length === 0 ? `${file}: nothing changes` : `${file}:`);
  for (const line of lines) say(line);
  const ofCommand = JSON.stringify(hooks).includes(basename(headersFile));
  if (ofCommand) say(`${headersFile}: the API key and the agent, readable by you alone`);
  if (dryRun) return;
  if (!yes && !(await confirmed(input, output))) {
    throw new CommandFailed(EXIT.usage, 'nothing was changed: confirm, or use --yes');
  }
  if (ofCommand) await writePrivately(headersFile, `x-service-key: ${apiKey}\nx-countersign-agent: ${agentId}\n`);
  const copy = lines.length === 0 ? null : await applyChange(change, Date.now());
  if (copy !== null) say(`the settings before: ${copy}`);
  const results = await canary(setup, hooks[setup.event]!, address, { COUNTERSIGN_API_KEY: apiKey });
  for (const { what, holds, detail } of results)
    say(`${holds ? 'ok    ' : 'FAILED'} ${what}${holds ? '' : ` (${detail})`}`);
  say(setup.afterwards);
  for (const gap of setup.uncovered) say(`not covered: ${gap}`);
  if (results.some(({ holds }) => !holds)) {
    throw new CommandFailed(EXIT.wrong, `the hook of ${setup.title} is written, and does not do what it must`);
  }
}

async function confirmed(input: NodeJS.ReadStream, output: NodeJS.WritableStream): Promise<boolean> {
  if (input.isTTY !== true) return false;
  const asking = createInterface({ input, output });
  try {
    return /^y(es)?$/i.test((await asking.question('Write this? [y/N] ')).trim());
  } finally {
    asking.close();
  }
}
