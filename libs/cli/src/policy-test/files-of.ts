import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandFailed, EXIT } from '../exit-codes.js';

const POLICY = /\.(?:ya?ml|json)$/u;

/**
 * The file itself, or the `.yaml`, `.yml` and `.json` files of a folder, by name; subfolders are ignored.
 * @throws CommandFailed 64 for a folder without such files
 */
export async function filesOf(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() !== true) return [path];
  const names = (await readdir(path)).filter((name) => POLICY.test(name)).toSorted();
  if (names.length === 0) throw new CommandFailed(EXIT.usage, `${path}: the folder has no .yaml, .yml or .json file`);
  return names.map((name) => join(path, name));
}
