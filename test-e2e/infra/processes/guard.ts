import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Reads lines from its standard input until that ends, which it does however this process ends, also by SIGKILL. Then
 * it kills the groups and removes the folders that it was told of and not told to forget.
 */
const SCRIPT = `
groups=' '
folders=' '
while read -r what value; do
  case $what in
    group) groups="$groups$value " ;;
    folder) folders="$folders$value " ;;
    ended) groups=$(printf %s "$groups" | sed "s/ $value / /") ;;
  esac
done
for group in $groups; do kill -s KILL -- "-$group" 2>/dev/null; done
for folder in $folders; do rm -rf "$folder" || { sleep 1; rm -rf "$folder"; }; done
`;

let lines: Writable | null = null;

function tell(what: 'group' | 'folder' | 'ended', value: string): void {
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
  tell('group', String(pid));
}

/** The group has ended: its number may be another's now. */
export function forgetGroup(pid: number): void {
  tell('ended', String(pid));
}

/** The folder (without spaces in its path) is removed when this process has ended. */
export function guardFolder(path: string): void {
  tell('folder', path);
}
