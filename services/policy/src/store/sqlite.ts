import { existsSync } from 'node:fs';
import Database from 'better-sqlite3';
import { requireSound } from './older-agents.js';
import type { OlderAgent } from './older-agents.js';

/** Checks the agents of a file of the layout before documents; a file of this layout, or none, passes. @throws StoreDamaged */
export function requireSoundFile(file: string): void {
  if (!existsSync(file)) return;
  let agents: readonly OlderAgent[];
  const database = new Database(file, { readonly: true, timeout: 5_000 });
  try {
    if (database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'agents'`).get() === undefined) return;
    agents = database
      .prepare<[], OlderAgent>(
        `SELECT id, revision, frozen_at_ms AS frozenAtMs, facts, lower(hex(checksum)) AS checksum FROM agents`,
      )
      .all();
  } catch {
    // Opening the store says what is wrong with the file.
    return;
  } finally {
    database.close();
  }
  for (const agent of agents) requireSound(file, agent);
}
