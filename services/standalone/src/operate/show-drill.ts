import { mebibytes, showReport } from '@countersign/fsck';
import type { Drill } from './restore-drill.js';

/** The drill as text: what was checked and how long it took, then recovery time and recovery point, the verdict last. */
export function showDrill(backup: string, drill: Drill, nowMs: number): string {
  const { manifest, files, bytes, examination, verified, problems, seconds } = drill;
  const recovery = seconds.copy + seconds.start;
  return [
    `${files} files with ${mebibytes(bytes)} MiB were copied and hashed in ${shown(seconds.copy)}.`,
    ...(examination === null ? [] : ['', showReport(backup, examination).trimEnd(), '']),
    ...(examination === null ? [] : [`fsck took ${shown(seconds.check)}.`]),
    ...(verified === null
      ? ['The instance was not started.']
      : [`The instance was ready ${shown(seconds.start)} after its start. Verified with it: ${verified}.`]),
    '',
    ...(verified === null
      ? []
      : [`Recovery time: ${shown(recovery)} (copy ${shown(seconds.copy)}, start ${shown(seconds.start)}).`]),
    `Recovery point: ${manifest.takenAt}, ${ago(manifest.takenAt, nowMs)}; newest event ` +
      `${manifest.newestEventAt === null ? 'none' : `${manifest.newestEventAt}, ${ago(manifest.newestEventAt, nowMs)}`}.`,
    ...problems.map((problem) => `  !!  ${problem}`),
    problems.length === 0
      ? 'PASSED: this backup can be restored.'
      : 'FAILED: do not rely on this backup. Take another one, and keep the older ones.',
    '',
  ].join('\n');
}

function shown(seconds: number): string {
  return `${seconds.toFixed(1)} s`;
}

/** @param time ISO 8601 */
function ago(time: string, nowMs: number): string {
  const seconds = Math.max(0, Math.round((nowMs - Date.parse(time)) / 1000));
  if (seconds < 120) return `${seconds} s ago`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 120) return `${minutes} min ago`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} h ago` : `${Math.round(hours / 24)} days ago`;
}
