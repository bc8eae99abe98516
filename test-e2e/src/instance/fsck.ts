import { countersign } from './command.js';

export interface FsckFinding {
  readonly place: string;
  readonly problem: string;
}

export interface FsckCheck {
  readonly name: string;
  readonly count: number;
  readonly behind: number;
  readonly skipped: string | null;
  readonly findings: readonly FsckFinding[];
}

/** What `countersign fsck --json` says of a stopped instance. */
export interface Fsck {
  readonly code: number | null;
  readonly count: number;
  readonly windows: { readonly closed: number; readonly anchored: number };
  readonly checks: readonly FsckCheck[];
  /** One line a finding: `<check>: <place>: <problem>`. */
  readonly lines: readonly string[];
}

export async function fsck(dataDir: string): Promise<Fsck> {
  const { code, stdout, stderr } = await countersign(['fsck', '--json', '--data-dir', dataDir]);
  let read: Pick<Fsck, 'count' | 'windows' | 'checks'>;
  try {
    read = JSON.parse(stdout) as typeof read;
  } catch {
    throw new Error(`fsck ended with ${String(code)}: ${stderr}${stdout}`);
  }
  const lines = read.checks.flatMap(({ name, findings, skipped }) => [
    ...(skipped === null ? [] : [`${name}: not checked: ${skipped}`]),
    ...findings.map(({ place, problem }) => `${name}: ${place}: ${problem}`),
  ]);
  return { ...read, code, lines };
}
