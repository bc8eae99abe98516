import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { recordBackup } from './data-directory/backup-record.js';
import { createRegistry, observeBackupAge } from './metrics.js';

describe('the metrics of a process', () => {
  it('say which release runs, once', async () => {
    const [whole, part] = [createRegistry('edge', true), createRegistry('services', false)];
    expect(await whole.metrics()).toMatch(
      new RegExp(String.raw`^countersign_build_info\{version="\d+\.\d+\.\d+",node="${process.version}"\} 1$`, 'mu'),
    );
    expect(await part.metrics()).not.toContain('countersign_build_info');
  });

  it('say how old the last backup is, and that there was none', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'metrics-'));
    try {
      const takenAt = '2026-03-01T12:00:00.000Z';
      const registry = createRegistry('edge', false);
      observeBackupAge(registry, dataDir, () => Date.parse(takenAt) + 90_500);
      const age = async () => /^countersign_backup_age_seconds (.*)$/mu.exec(await registry.metrics())?.[1];
      expect(await age()).toBe('+Inf');
      await recordBackup(dataDir, { takenAt, bytes: 1, seconds: 1 });
      expect(await age()).toBe('90.5');
      writeFileSync(join(dataDir, 'last-backup.json'), '{"takenAt":"yesterday"}');
      expect(await age()).toBe('+Inf');
    } finally {
      rmSync(dataDir, { recursive: true });
    }
  });
});
