import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Profile = 'embedded' | 'distributed';

/** What outlives an instance: its folder and, on the distributed profile, its network and its names on the servers. */
export interface Installation {
  readonly profile: Profile;
  readonly dataDir: string;
  /** Where it listens; `null` where each start chooses. */
  readonly baseUrl: string | null;
  /** What every command of it is started with. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes everything of it, once no instance of it runs. */
  discard(): Promise<void>;
}

export function newDataDir(): string {
  return join(mkdtempSync(join(tmpdir(), 'countersign-e2e-')), 'data');
}

/** In a folder that holds the data directory alone. */
export function embeddedInstallation(dataDir: string): Installation {
  return {
    profile: 'embedded',
    dataDir,
    baseUrl: null,
    env: { COUNTERSIGN_DATA_DIR: dataDir, COUNTERSIGN_PORT: '0' },
    discard: async () => rmSync(dirname(dataDir), { recursive: true, force: true }),
  };
}
