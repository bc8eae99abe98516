import type { TopicName } from '@countersign/contracts';

/** PEM texts; without `ca` the authorities that Node.js trusts. */
export interface KafkaTls {
  readonly ca?: Buffer | string;
  /** Our own certificate, with its chain, for brokers that ask for one. */
  readonly cert?: Buffer | string;
  readonly key?: Buffer | string;
  /** The name in the brokers' certificates; default the host of each. */
  readonly servername?: string;
}

export interface KafkaSasl {
  /** `plain` sends the password itself: over TLS only. */
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

export interface KafkaLogOptions {
  /** `host:port` of some brokers; the others are learnt from them. */
  readonly brokers: readonly string[];
  /** Shown in the brokers' logs and quotas. */
  readonly clientId: string;
  /** `true`: with the defaults of `KafkaTls`. Absent: not encrypted. */
  readonly tls?: KafkaTls | true;
  readonly sasl?: KafkaSasl;
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
