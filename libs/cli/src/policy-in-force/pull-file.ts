import { readFile, writeFile } from 'node:fs/promises';
import { Document, parseDocument } from 'yaml';
import { CommandFailed, EXIT } from '../exit-codes.js';

/**
 * Writes a profile into the file of a policy; its cases and comments stay.
 * @param rules those that differ from the defaults
 * @throws CommandFailed 64 if the file is not a policy with a profile, 1 if it cannot be written
 */
export async function writeProfile(file: string, rules: Readonly<Record<string, unknown>>): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw new CommandFailed(EXIT.usage, `cannot read ${file} (${error.code})`);
  });
  await writeFile(file, withProfile(file, text, rules)).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(EXIT.wrong, `cannot write ${file} (${error.code})`);
  });
}

function withProfile(file: string, text: string | null, rules: Readonly<Record<string, unknown>>): string {
  // JSON is a subset of YAML: one reader for both.
  const document = text === null ? new Document({}) : parseDocument(text);
  const held: unknown = document.errors.length > 0 ? null : document.toJS();
  if (typeof held !== 'object' || held === null || Array.isArray(held) || 'rules' in held) {
    throw new CommandFailed(EXIT.usage, `${file} is not a policy with a profile: name another file`);
  }
  if (file.endsWith('.json')) return `${JSON.stringify({ ...held, profile: rules }, null, 2)}\n`;
  document.set('profile', document.createNode(rules));
  return document.toString();
}
