import { setTimeout as delay } from 'node:timers/promises';
import { TOPICS } from '@countersign/contracts';
import type { TopicDefinition, TopicName } from '@countersign/contracts';
import { LogDamaged } from '../port.js';
import type { ClusterView } from './cluster-view.js';

const ASK_MS = 15_000;
const SETTLE_MS = 15_000;
const DAY_MS = 86_400_000;
/** A commit of 512 KiB, or one record of the maximum size, with room. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;

const NONE = 0;
const ALREADY_EXISTS = 36;
const INVALID_REPLICATION_FACTOR = 38;
const TOPIC_RESOURCE = 2;

const SINGLE = 'set COUNTERSIGN_ALLOW_SINGLE_BROKER=true where the loss of a broker may lose what was answered for';

/** Topics need more brokers than there are, which may still be starting. */
export class TooFewBrokers extends LogDamaged {}

export interface TopicRules {
  /** Prefix of every topic's name. */
  readonly prefix: string;
  readonly topics: readonly TopicName[];
  readonly allowSingleBroker: boolean;
  /** Nothing is created. */
  readonly mustExist: boolean;
}

/** Settings of a new topic. */
export function settingsOf(topic: TopicDefinition, allowSingleBroker: boolean): Readonly<Record<string, string>> {
  const settings = {
    'min.insync.replicas': allowSingleBroker ? '1' : '2',
    'unclean.leader.election.enable': 'false',
    'max.message.bytes': String(MAX_MESSAGE_BYTES),
    'message.timestamp.type': 'LogAppendTime',
    'compression.type': 'uncompressed',
  };
  if (topic.retention.kind === 'time') {
    return {
      ...settings,
      'cleanup.policy': 'delete',
      'retention.ms': String(topic.retention.days * DAY_MS),
      'retention.bytes': '-1',
      'segment.ms': String(DAY_MS),
    };
  }
  return {
    ...settings,
    'cleanup.policy': 'compact',
    'min.cleanable.dirty.ratio': '0.2',
    'segment.bytes': String(64 * 1024 * 1024),
    'segment.ms': String(DAY_MS),
    'max.compaction.lag.ms': String(7 * DAY_MS),
  };
}

/** Settings of an existing topic that are worse than those of a new one; each as words that fit other topics. */
export function worseThanNeeded(
  topic: TopicDefinition,
  found: { readonly partitions: number; readonly replicas: number; readonly settings: ReadonlyMap<string, string> },
  allowSingleBroker: boolean,
): string[] {
  const worse: string[] = [];
  const setting = (key: string) => found.settings.get(key) ?? '';
  const expect = (key: string, holds: boolean, wanted: string, hint = '') => {
    if (!holds) worse.push(`${key} is ${setting(key) || 'not set'}, needed is ${wanted}${hint}`);
  };
  if (found.partitions !== topic.partitions) {
    worse.push(`${topic.partitions} partitions expected, ${found.partitions} found`);
  }
  if (!allowSingleBroker && found.replicas < 2) {
    worse.push(`replication factor is ${found.replicas}, needed is 3 (${SINGLE})`);
  }
  const inSync = Number(setting('min.insync.replicas'));
  expect('min.insync.replicas', allowSingleBroker || inSync >= 2, '2', ` (${SINGLE})`);
  expect('unclean.leader.election.enable', setting('unclean.leader.election.enable') === 'false', 'false');
  const bytes = Number(setting('max.message.bytes'));
  expect('max.message.bytes', bytes >= MAX_MESSAGE_BYTES, `at least ${MAX_MESSAGE_BYTES}`);
  expect('message.timestamp.type', setting('message.timestamp.type') === 'LogAppendTime', 'LogAppendTime');
  if (topic.retention.kind === 'compacted') {
    expect('cleanup.policy', setting('cleanup.policy') === 'compact', 'compact');
    return worse;
  }
  expect('cleanup.policy', setting('cleanup.policy') === 'delete', 'delete');
  const kept = Number(setting('retention.ms'));
  const wanted = topic.retention.days * DAY_MS;
  expect('retention.ms', kept === -1 || kept >= wanted, `at least ${wanted}`);
  expect('retention.bytes', setting('retention.bytes') === '-1', '-1');
  return worse;
}

/** One sentence for each reason, with all its topics: `<reason>: <topic>, <topic>`. */
export function byReason(found: readonly { readonly topic: string; readonly reason: string }[]): string {
  const topics = new Map<string, string[]>();
  for (const { topic, reason } of found) topics.set(reason, [...(topics.get(reason) ?? []), topic]);
  return [...topics].map(([reason, names]) => `${reason}: ${names.join(', ')}`).join('; ');
}

/**
 * Creates the topics that are missing and checks all. Services may do this concurrently. Rejects with one `LogDamaged`
 * that lists everything that is worse than needed; with `TooFewBrokers` while there are fewer brokers than a new topic
 * has replicas.
 */
export async function ensureTopics(cluster: ClusterView, rules: TopicRules): Promise<void> {
  await cluster.refresh();
  const missing = rules.topics.filter((topic) => cluster.topic(rules.prefix + topic) === null);
  if (missing.length > 0 && rules.mustExist) {
    throw new LogDamaged(`Kafka topics are missing: ${missing.map((topic) => rules.prefix + topic).join(', ')}`);
  }
  if (missing.length > 0) await createTopics(cluster, rules, missing);
  await untilLed(cluster, rules);
  const settings = await describeTopics(cluster, rules);
  const worse = rules.topics.flatMap((topic) => {
    const name = rules.prefix + topic;
    const view = cluster.topic(name);
    const found = {
      partitions: view?.leaders.length ?? 0,
      replicas: view?.replicas ?? 0,
      settings: settings.get(name) ?? new Map<string, string>(),
    };
    const reasons = worseThanNeeded(TOPICS[topic], found, rules.allowSingleBroker);
    return reasons.map((reason) => ({ topic: name, reason }));
  });
  if (worse.length > 0) throw new LogDamaged(`Kafka topics are not as they must be: ${byReason(worse)}`);
}

interface CreateAnswer {
  readonly topicErrors: readonly { topic: string; errorCode: number; errorMessage: string | null }[];
}

async function createTopics(cluster: ClusterView, rules: TopicRules, missing: readonly TopicName[]): Promise<void> {
  const topics = missing.map((topic) => ({
    topic: rules.prefix + topic,
    numPartitions: TOPICS[topic].partitions,
    replicationFactor: rules.allowSingleBroker ? 1 : 3,
    configEntries: Object.entries(settingsOf(TOPICS[topic], rules.allowSingleBroker)).map(([name, value]) => ({
      name,
      value,
    })),
  }));
  const options = { topics, validateOnly: false, timeout: ASK_MS };
  const answer = await cluster.controller().ask<CreateAnswer>('CreateTopics', options, ASK_MS + 5000);
  const refused = answer.topicErrors.filter(({ errorCode }) => errorCode !== NONE && errorCode !== ALREADY_EXISTS);
  if (refused.length === 0) return;
  const tooFew = refused.every(({ errorCode }) => errorCode === INVALID_REPLICATION_FACTOR);
  const reasons = refused.map(({ topic, errorCode, errorMessage }) => {
    const hint = errorCode === INVALID_REPLICATION_FACTOR && !rules.allowSingleBroker ? ` (${SINGLE})` : '';
    return { topic, reason: `${errorMessage ?? `error ${errorCode}`}${hint}` };
  });
  throw new (tooFew ? TooFewBrokers : LogDamaged)(`Kafka topics cannot be created: ${byReason(reasons)}`);
}

async function untilLed(cluster: ClusterView, rules: TopicRules): Promise<void> {
  const deadline = Date.now() + SETTLE_MS;
  for (;;) {
    await cluster.refresh();
    const waiting = rules.topics.filter((topic) => cluster.topic(rules.prefix + topic)?.leaders.includes(null) ?? true);
    if (waiting.length === 0) return;
    if (Date.now() > deadline) throw new Error(`topics without a leader: ${waiting.join(', ')}`);
    await delay(50);
  }
}

interface DescribeAnswer {
  readonly resources: readonly {
    errorCode: number;
    errorMessage: string | null;
    resourceName: string;
    configEntries: readonly { configName: string; configValue: string | null }[];
  }[];
}

async function describeTopics(cluster: ClusterView, rules: TopicRules): Promise<Map<string, Map<string, string>>> {
  const resources = rules.topics.map((topic) => ({ type: TOPIC_RESOURCE, name: rules.prefix + topic }));
  const answer = await cluster.any().ask<DescribeAnswer>('DescribeConfigs', { resources }, ASK_MS);
  const refused = answer.resources.find(({ errorCode }) => errorCode !== NONE);
  if (refused !== undefined) {
    throw new Error(`settings of ${refused.resourceName}: ${refused.errorMessage ?? `error ${refused.errorCode}`}`);
  }
  return new Map(
    answer.resources.map(({ resourceName, configEntries }) => [
      resourceName,
      new Map(configEntries.map(({ configName, configValue }) => [configName, configValue ?? ''])),
    ]),
  );
}
