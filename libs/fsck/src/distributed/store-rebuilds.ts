import type { Config } from '@countersign/process';
import type { StoreRebuild } from '@countersign/document-store';
import type { Projection } from '../rebuild/stores.js';
import { membersOf, reading, uriOf } from './servers.js';

interface Opener {
  openStoreRebuild(uri: string): Promise<StoreRebuild>;
}

const MODULES: Readonly<Record<Projection['name'], () => Promise<Opener>>> = {
  anchors: () => import('@countersign/anchoring'),
  archive: () => import('@countersign/audit-log'),
  policy: () => import('@countersign/policy'),
  facts: () => import('@countersign/verification'),
};

/** @throws NotReadable where MongoDB does not answer */
export async function openStoreRebuild(name: Projection['name'], config: Config): Promise<StoreRebuild> {
  const module = await MODULES[name]();
  return reading('MongoDB', module.openStoreRebuild(uriOf(config)));
}

/** Why instances of a store's service must be taken to run, in plain words; `null`: none shows. */
export async function inUse(store: StoreRebuild, config: Config): Promise<string | null> {
  const { group } = store;
  if (group === null) return store.inUse();
  const members = await membersOf(config, group);
  if (members.length === 0) return store.inUse();
  const hosts = [...new Set(members.map(({ host }) => host))].join(', ');
  return (
    `consumer group ${config.kafkaTopicPrefix}${group} has ${members.length} members (from ${hosts}): stop the service, ` +
    'or wait ten seconds for one that was killed'
  );
}
