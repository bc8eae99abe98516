import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { requireSound } from './older-agents.js';
import type { OlderAgent } from './older-agents.js';

/** Prefixes of the codes of errors that the open which follows reports itself. */
const REPORTED_BY_OPEN = ['SQLITE_NOTADB', 'SQLITE_CORRUPT', 'SQLITE_CANTOPEN'];

/**
 * Checks the agents of a file of the layout before documents; a file of this layout, or none, passes.
 * @throws StoreDamaged; any other error of reading: the open which follows would seal agents that were not checked
 */
export function requireSoundFile(file: string): void {
  if (!existsSync(file)) return;
  let agents: readonly OlderAgent[];
  // Writable: SQLite must roll back a transaction that a crash has interrupted before it can read the file.
  const database = new Database(file, { fileMustExist: true, timeout: 5_000 });
  try {
    if (database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'agents'`).get() === undefined) return;
    agents = database
      .prepare<[], OlderAgent>(
        `SELECT id, revision, frozen_at_ms AS frozenAtMs, facts, lower(hex(checksum)) AS checksum FROM agents`,
      )
      .all();
  } catch (error) {
    const { code = '' } = error as { code?: string };
    if (REPORTED_BY_OPEN.some((prefix) => code.startsWith(prefix))) return;
    throw error;
  } finally {
    database.close();
  }
  for (const agent of agents) requireSound(file, agent);
}
