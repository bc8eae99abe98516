import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export type Profile = 'embedded' | 'distributed';

/** The persistent part of an instance: its folder and, on the distributed profile, its network and its names on the servers. */
export interface Installation {
  readonly profile: Profile;
  /** Its servers are those of all tests, which keep them busy: it answers some requests with 503 and “try again”. */
  readonly sharesServers: boolean;
  readonly dataDir: string;
  /** Its address; `null` if each start chooses one. */
  readonly baseUrl: string | null;
  /** Environment of its commands. */
  readonly env: Readonly<Record<string, string>>;
  /** Removes all its data, once no instance of it runs. */
  discard(): Promise<void>;
}

export function newDataDir(): string {
  return join(mkdtempSync(join(tmpdir(), 'countersign-e2e-')), 'data');
}

/** An installation in a folder that holds only the data directory. */
export function embeddedInstallation(dataDir: string): Installation {
  return {
    profile: 'embedded',
    sharesServers: false,
    dataDir,
    baseUrl: null,
    env: { COUNTERSIGN_DATA_DIR: dataDir, COUNTERSIGN_PORT: '0' },
    discard: async () => rmSync(dirname(dataDir), { recursive: true, force: true }),
  };
}
