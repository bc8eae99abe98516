import type { TopicName } from '@countersign/contracts';

export interface KafkaLogOptions {
  /** `host:port` of some brokers; the others are learnt from them. */
  readonly brokers: readonly string[];
  /** Shown in the brokers' logs and quotas. */
  readonly clientId: string;
  /** Put before the names of all topics and groups: several installations on one cluster. */
  readonly topicPrefix?: string;
  /** Topics with one copy are made and accepted. Without it they are refused. */
  readonly allowSingleBroker: boolean;
  /** Makes no topic: one that is missing is `LogDamaged`. */
  readonly mustExist?: boolean;
  /** From a call of `append` to its answer at the latest, ms. */
  readonly sendTimeoutMs: number;
  /** Bytes of values that may wait for the brokers before `append` refuses; default 64 MiB. */
  readonly maxPendingBytes?: number;
  /** So long brokers that do not answer are waited for at the opening, ms; default 30 s. */
  readonly openTimeoutMs?: number;
  /** Makes, checks, reads and writes these only; default all. */
  readonly topics?: readonly TopicName[];
  readonly log?: { warn(message: string): void };
}
