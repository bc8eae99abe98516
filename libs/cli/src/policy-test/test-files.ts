import { policyWarnings, runCases } from '@countersign/policy/policy-files';
import { CommandFailed, EXIT } from '../exit-codes.js';
import type { TestedFile } from './describe-cases.js';
import { filesOf } from './files-of.js';
import { readPolicy } from './read-policy.js';

/**
 * Runs the cases of each file, and of each `.yaml`, `.yml` and `.json` file of a folder, offline, with the engine
 * of the gateways.
 * @throws CommandFailed 64 for a file that cannot be read or has no cases, or a folder without files; no case has run then
 */
export async function testFiles(paths: readonly string[]): Promise<readonly TestedFile[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  const read = await Promise.all(files.map(async (file) => ({ file, policy: await readPolicy(file) })));
  const empty = read.find(({ policy }) => policy.cases.length === 0);
  if (empty !== undefined) {
    throw new CommandFailed(EXIT.usage, `${empty.file}: cases must be a list with at least one`);
  }
  return read.map(({ file, policy }) => ({
    file,
    cases: policy.cases.length,
    failures: runCases(policy),
    warnings: policyWarnings(policy),
  }));
}
