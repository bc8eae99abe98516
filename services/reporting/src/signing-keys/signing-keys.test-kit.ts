import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import type { SigningKeyFacts } from '@countersign/contracts';
import { openSqliteLog, type EventLog } from '@countersign/event-log';
import { loadConfig } from '@countersign/process';
import { nodeCrypto } from '@countersign/process/node-crypto';
import { Projection } from '@countersign/topics';
import { openSigningKeys, type OnLostKey, type OpenedKeys } from './open-signing-keys.js';
import { publishedKeys, type PublishedKey } from './publish-keys.js';

export interface OpenedInstance extends OpenedKeys {
  readonly told: Projection<SigningKeyFacts>;
}

/** An installation's log and folders of keys, on which instances of the signing keys are opened. */
export class KeysBench {
  /** Everything that any instance wrote into its log. */
  logged = '';
  now = Date.UTC(2026, 2, 1, 12);
  readonly #followed: Projection<SigningKeyFacts>[] = [];
  #folders = 0;

  private constructor(
    readonly root: string,
    readonly eventLog: EventLog,
  ) {}

  static open(): Promise<KeysBench> {
    return KeysBench.reopen(mkdtempSync(join(tmpdir(), 'signing-keys-')));
  }

  /** On the root of another one, whose log is closed. */
  static async reopen(root: string): Promise<KeysBench> {
    return new KeysBench(root, await openSqliteLog({ file: join(root, 'log.db') }));
  }

  newFolder(): string {
    return join(this.root, String((this.#folders += 1)));
  }

  /** @param eventLog in the place of the installation's, for what fails */
  async instance(
    directory: string,
    environment: Readonly<Record<string, string>> = {},
    eventLog: EventLog = this.eventLog,
    onLostKey: OnLostKey = 'refuse',
  ): Promise<OpenedInstance> {
    const write = (...what: readonly unknown[]): void => void (this.logged += inspect(what, { depth: 9 }));
    const context = {
      directory,
      config: loadConfig(environment),
      eventLog,
      crypto: nodeCrypto,
      clock: () => this.now,
      log: { info: write, warn: write, error: write },
    };
    const opened = await openSigningKeys(context, onLostKey);
    const told = await Projection.follow<SigningKeyFacts>({ eventLog, name: 'reporting' }, 'signing-keys');
    this.#followed.push(told);
    return { ...opened, told };
  }

  /** As a command opens the keys of a stopped installation. */
  operator(directory: string, environment: Readonly<Record<string, string>> = {}): Promise<OpenedInstance> {
    return this.instance(directory, environment, this.eventLog, 'allow');
  }

  told(): Promise<ReadonlyMap<string, PublishedKey>> {
    return publishedKeys(this.eventLog);
  }

  /** `<id> <status>` as the topic says, by key id. */
  async statuses(): Promise<Readonly<Record<string, string>>> {
    return Object.fromEntries([...(await this.told())].map(([id, { value }]) => [id, value?.status ?? 'gone']));
  }

  /** Leaves the files. */
  async end(): Promise<void> {
    await Promise.all(this.#followed.map((told) => told.stop()));
    await this.eventLog.close();
  }

  async close(): Promise<void> {
    await this.end();
    rmSync(this.root, { recursive: true, force: true });
  }
}
