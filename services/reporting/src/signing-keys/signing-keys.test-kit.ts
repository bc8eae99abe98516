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
  readonly published: Projection<SigningKeyFacts>;
}

/** An installation's log and key folders, on which instances of the signing keys are opened. */
export class KeysBench {
  /** Log output of all instances. */
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

  /** Opens the root of another one, whose log is closed. */
  static async reopen(root: string): Promise<KeysBench> {
    return new KeysBench(root, await openSqliteLog({ file: join(root, 'log.db') }));
  }

  newFolder(): string {
    return join(this.root, String((this.#folders += 1)));
  }

  /** @param eventLog replaces the installation's, to simulate failures */
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
    const published = await Projection.follow<SigningKeyFacts>({ eventLog, name: 'reporting' }, 'signing-keys');
    this.#followed.push(published);
    return { ...opened, published };
  }

  /** Opens the keys like a command on a stopped installation. */
  operator(directory: string, environment: Readonly<Record<string, string>> = {}): Promise<OpenedInstance> {
    return this.instance(directory, environment, this.eventLog, 'allow');
  }

  published(): Promise<ReadonlyMap<string, PublishedKey>> {
    return publishedKeys(this.eventLog);
  }

  /** Status in the topic, by key id. */
  async statuses(): Promise<Readonly<Record<string, string>>> {
    return Object.fromEntries([...(await this.published())].map(([id, { value }]) => [id, value?.status ?? 'gone']));
  }

  /** Closes everything and keeps the files. */
  async end(): Promise<void> {
    await Promise.all(this.#followed.map((published) => published.stop()));
    await this.eventLog.close();
  }

  async close(): Promise<void> {
    await this.end();
    rmSync(this.root, { recursive: true, force: true });
  }
}
