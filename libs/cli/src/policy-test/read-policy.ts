import { readFile } from 'node:fs/promises';
import { parseDocument } from 'yaml';
import { PolicyFileProblem, readPolicyDraft, readPolicyFile } from '@countersign/policy/policy-files';
import type { PolicyFile } from '@countersign/policy/policy-files';
import { JsonRefused, parseJsonStrict } from '@countersign/evidence';
import { CommandFailed, EXIT } from '../exit-codes.js';

/**
 * Reads a policy with its cases; a name that ends in `.json` is JSON, any other YAML 1.2.
 * @param state `draft`: expressions of rules may be such as a profile refuses, and cases are not read
 * @throws CommandFailed 64 naming the file and the problem
 */
export async function readPolicy(file: string, state: 'whole' | 'draft' = 'whole'): Promise<PolicyFile> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(EXIT.usage, `cannot read ${file} (${error.code})`);
  });
  try {
    const value = file.endsWith('.json') ? parseJsonStrict(bytes) : parseYaml(bytes.toString('utf8'));
    return state === 'whole' ? readPolicyFile(value) : readPolicyDraft(value);
  } catch (error) {
    if (!(error instanceof PolicyFileProblem || error instanceof JsonRefused)) throw error;
    throw new CommandFailed(EXIT.usage, `${file}: ${error.message}`);
  }
}

/** @throws PolicyFileProblem with line and column of the first error */
function parseYaml(text: string): unknown {
  const document = parseDocument(text, { prettyErrors: true });
  const [problem] = document.errors;
  if (problem !== undefined) throw new PolicyFileProblem(problem.message.split('\n')[0] ?? 'not YAML');
  try {
    return document.toJS() as unknown;
  } catch (error) {
    // Nested aliases that would expand without bound (yaml: maxAliasCount).
    throw new PolicyFileProblem(error instanceof Error ? error.message : 'not YAML');
  }
}
