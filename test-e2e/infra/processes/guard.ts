import { spawn, type ChildProcess } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Reads lines from its standard input until that ends, which happens however this process ends, also by SIGKILL. Then
 * it kills the processes and groups and removes the folders that are still registered.
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

function register(what: 'kill' | 'folder' | 'ended', value: string): void {
  if (lines === null) {
    // A process group of its own: a signal from the terminal does not end the guard.
    const guard = spawn('sh', ['-c', SCRIPT], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
    guard.unref();
    lines = guard.stdin;
    // An unreferenced pipe does not keep the process running.
    (guard.stdin as Writable & { unref?: () => void }).unref?.();
    guard.stdin.on('error', () => undefined);
  }
  lines.write(`${what} ${value}\n`);
}

/** The process group is killed when this process has ended. */
export function guardGroup(pid: number): void {
  register('kill', `-${pid}`);
}

/** Unregisters an ended group: its number may be reused. */
export function forgetGroup(pid: number): void {
  register('ended', `-${pid}`);
}

/** The process is killed when this one has ended, unless it ended before. */
export function guardProcess(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined) return;
  register('kill', String(pid));
  child.once('exit', () => register('ended', String(pid)));
}

/** The folder (without spaces in its path) is removed when this process has ended. */
export function guardFolder(path: string): void {
  register('folder', path);
}
