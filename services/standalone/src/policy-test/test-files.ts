import { runCases } from '@countersign/policy';
import { CommandFailed, EXIT } from '../commands/exit-codes.js';
import type { TestedFile } from './describe-cases.js';
import { readPolicy } from './read-policy.js';

/**
 * Runs the cases of each file, offline, by the engine that gateways decide with.
 * @throws CommandFailed 64 for a file that cannot be read or has no cases; nothing has run then
 */
export async function testFiles(files: readonly string[]): Promise<readonly TestedFile[]> {
  const read = await Promise.all(files.map(async (file) => ({ file, policy: await readPolicy(file) })));
  const empty = read.find(({ policy }) => policy.cases.length === 0);
  if (empty !== undefined) {
    throw new CommandFailed(EXIT.usage, `${empty.file}: cases must be a list with at least one`);
  }
  return read.map(({ file, policy }) => ({ file, cases: policy.cases.length, failures: runCases(policy) }));
}
