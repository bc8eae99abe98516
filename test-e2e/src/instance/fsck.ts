import { countersign } from './command.js';
import type { Installation } from './installation.js';

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
  readonly notes: readonly string[];
}

/** Output of `countersign fsck --json`. */
export interface Fsck {
  readonly code: number | null;
  readonly count: number;
  readonly windows: { readonly closed: number; readonly anchored: number };
  readonly checks: readonly FsckCheck[];
  /** One line per finding: `<check>: <place>: <problem>`. */
  readonly lines: readonly string[];
  /** Notes that are not findings: `<check>: <note>`. */
  readonly notes: readonly string[];
}

/** Checks a data directory of the embedded profile, or an installation of either; `settled`: lag is a finding. */
export async function fsck(what: string | Installation, { settled = false } = {}): Promise<Fsck> {
  const { dataDir, env } = typeof what === 'string' ? { dataDir: what, env: {} } : what;
  const options = settled ? ['--settled'] : [];
  const { code, stdout, stderr } = await countersign(['fsck', '--json', ...options, '--data-dir', dataDir], env);
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
  const notes = read.checks.flatMap(({ name, notes: noted }) => noted.map((note) => `${name}: ${note}`));
  return { ...read, code, lines, notes };
}

/**
 * Throws the findings of fsck, one per line. An installation of the embedded profile must be stopped, one of the distributed
 * profile may be running.
 */
export async function fsckClean(
  installation: Installation,
  options: { readonly settled?: boolean } = {},
): Promise<Fsck> {
  const found = await fsck(installation, options);
  if (found.code !== 0 || found.count > 0) {
    throw new Error(`fsck ended with ${String(found.code)}:\n${found.lines.join('\n')}`);
  }
  return found;
}
