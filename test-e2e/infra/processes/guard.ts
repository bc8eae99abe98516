import { spawn, type ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Reads lines from its standard input until that ends, which it does however this process ends, also by SIGKILL. Then
 * it kills the processes and groups and removes the folders that it was told of and not told to forget.
 */
const SCRIPT = `
targets=' '
folders=' '
while read -r what value; do
  case $what in
    kill) targets="$targets$value " ;;
    folder) folders="$folders$value " ;;
    ended) targets=$(printf %s "$targets" | sed "s/ $value / /") ;;
  esac
done
for target in $targets; do kill -s KILL -- "$target" 2>/dev/null; done
for folder in $folders; do rm -rf "$folder" || { sleep 1; rm -rf "$folder"; }; done
`;

let lines: Writable | null = null;

function tell(what: 'kill' | 'folder' | 'ended', value: string): void {
  if (lines === null) {
    // A group of its own: what ends this process from a terminal leaves the guard to its work.
    const guard = spawn('sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    guard.unref();
    lines = guard.stdin;
    // A pipe's handle keeps the process alive unless it is told not to.
    (guard.stdin as Writable & { unref?: () => void }).unref?.();
    guard.stdin.on('error', () => undefined);
  }
  lines.write(`${what} ${value}\n`);
}

/** The process group is killed when this process has ended. */
export function guardGroup(pid: number): void {
  tell('kill', `-${pid}`);
}

/** The group has ended: its number may be another's now. */
export function forgetGroup(pid: number): void {
  tell('ended', `-${pid}`);
}

/** The process is killed when this one has ended, unless it ended before. */
export function guardProcess(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  tell('kill', String(pid));
  child.once('exit', () => tell('ended', String(pid)));
}

/** The folder (without spaces in its path) is removed when this process has ended. */
export function guardFolder(path: string): void {
  tell('folder', path);
}
