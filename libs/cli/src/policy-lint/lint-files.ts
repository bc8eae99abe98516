import { readFile } from 'node:fs/promises';
import { draftCost, draftFindings } from '@countersign/policy/policy-files';
import type { PolicyFile } from '@countersign/policy/policy-files';
import type { ProfileFinding, ToolSchemas } from '@countersign/policy-engine';
import { LineCounter, parseDocument } from 'yaml';
import { filesOf } from '../policy-test/files-of.js';
import { readPolicy } from '../policy-test/read-policy.js';

/** A finding with the place of its element in the file: line and column from 1. */
export type FileFinding = Omit<ProfileFinding, 'path'> & { readonly line: number; readonly column: number };

export interface LintedFile {
  readonly file: string;
  readonly findings: readonly FileFinding[];
  /** Largest time of all rules, facts and limits of one check, estimated, in µs; `null` where one of them is refused. */
  readonly costMicros: number | null;
}

/**
 * Finds what the policies of files, and of the files of folders, say in vain.
 * @param schemas input schemas of tools by name; `null`: none are known
 * @throws CommandFailed 64 for a file that cannot be read, or is no policy
 */
export async function lintFiles(paths: readonly string[], schemas: ToolSchemas | null): Promise<readonly LintedFile[]> {
  const files = (await Promise.all(paths.map(filesOf))).flat();
  return Promise.all(
    files.map(async (file) => {
      const policy = await readPolicy(file, 'draft');
      const at = placesIn(await readFile(file, 'utf8'), policy);
      const findings = draftFindings(policy, schemas ?? undefined).map(({ path, ...finding }) => ({
        ...finding,
        ...at(path),
      }));
      return { file, findings, costMicros: draftCost(policy) };
    }),
  );
}

/** Line and column of an element of the policy; those of the policy itself where it cannot be found. */
function placesIn(text: string, { kind }: PolicyFile) {
  const lines = new LineCounter();
  // JSON is a subset of YAML.
  const document = parseDocument(text, { lineCounter: lines });
  return (path: readonly (string | number)[]): { readonly line: number; readonly column: number } => {
    const found = document.getIn([kind, ...path], true) ?? document.getIn([kind], true);
    const start = (found as { readonly range?: readonly [number, number, number] } | undefined)?.range?.[0] ?? 0;
    const { line, col } = lines.linePos(start);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
}
