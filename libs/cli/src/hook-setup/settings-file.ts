import { existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { CommandFailed, EXIT } from '../exit-codes.js';
import type { Json } from './tool-setups.js';

/** A settings file before and after its change. */
export interface SettingsChange {
  readonly file: string;
  /** `null`: there was none. */
  readonly before: string | null;
  readonly after: string;
}

/** @throws CommandFailed 64 for a file that is not JSON, such as one with comments */
export async function readSettings(file: string): Promise<{ readonly text: string | null; readonly value: Json }> {
  if (!existsSync(file)) return { text: null, value: {} };
  const text = await readFile(file, 'utf8');
  if (text.trim() === '') return { text, value: {} };
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { text, value: value as Json };
  } catch {
    // Below.
  }
  throw new CommandFailed(EXIT.usage, `${file} is not a JSON object, or has comments: nothing was changed`);
}

/** Reports whether an entry, or the entries of its group, ask this route; any address of it counts. */
export function asksRoute(entry: unknown, path: string): boolean {
  return JSON.stringify(entry ?? null).includes(path);
}

/**
 * The settings with these entries, one for each event; entries of the same route are replaced, all others are kept.
 * @throws CommandFailed 64 if `hooks` does not have the form of the tool
 */
export function withHooks(
  value: Json,
  base: Json,
  hooks: Readonly<Record<string, Json>>,
  path: string,
  file: string,
): Json {
  const { hooks: old = {} } = value;
  const wrong = (what: string): CommandFailed =>
    new CommandFailed(EXIT.usage, `${what} in ${file} does not have the form of hooks: nothing was changed`);
  if (typeof old !== 'object' || old === null || Array.isArray(old)) throw wrong('"hooks"');
  const merged: Record<string, unknown> = {};
  for (const [event, entries] of Object.entries(old as Json)) {
    if (!Array.isArray(entries)) {
      if (event in hooks) throw wrong(`"hooks.${event}"`);
      merged[event] = entries;
      continue;
    }
    const kept = entries.filter((entry) => !asksRoute(entry, path));
    if (kept.length > 0) merged[event] = kept;
  }
  for (const [event, entry] of Object.entries(hooks)) merged[event] = [...((merged[event] ?? []) as unknown[]), entry];
  return { ...base, ...value, hooks: merged };
}

/** JSON in the indentation of the text that it replaces. */
export function jsonLike(text: string | null, value: Json): string {
  const indent = /^\{\s*\n([ \t]+)"/.exec(text ?? '')?.[1] ?? '  ';
  return `${JSON.stringify(value, null, indent)}\n`;
}

const CONTEXT = 2;

/** The lines that differ, `-` and `+`, with some lines around them; empty if nothing changes. */
export function changeLines({ before, after }: SettingsChange): readonly string[] {
  const old = before === null || before === '' ? [] : before.replace(/\n$/, '').split('\n');
  const now = after.replace(/\n$/, '').split('\n');
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start += 1;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end += 1;
  const removed = old.slice(start, old.length - end).map((line) => `- ${line}`);
  const added = now.slice(start, now.length - end).map((line) => `+ ${line}`);
  if (removed.length === 0 && added.length === 0) return [];
  const around = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);
  const last = now.length - end;
  return [
    ...around(now.slice(Math.max(0, start - CONTEXT), start)),
    ...removed,
    ...added,
    ...around(now.slice(last, last + CONTEXT)),
  ];
}

/** Writes the change in one step. @returns the copy of the file before it; `null`: there was none */
export async function applyChange({ file, before, after }: SettingsChange, nowMs: number): Promise<string | null> {
  await mkdir(dirname(file), { recursive: true });
  let copy: string | null = null;
  let mode = 0o600;
  if (before !== null) {
    copy = `${file}.before-countersign-${nowMs}`;
    mode = (await stat(file)).mode & 0o777;
    await copyFile(file, copy);
    await chmod(copy, mode);
  }
  await writePrivately(file, after, mode);
  return copy;
}

/** In one step, with this mode from the beginning. */
export async function writePrivately(file: string, text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const next = `${file}.countersign-tmp`;
  await writeFile(next, text, { mode });
  await chmod(next, mode);
  await rename(next, file);
}
