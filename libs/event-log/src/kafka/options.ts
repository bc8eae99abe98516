import type { TopicName } from '@countersign/contracts';

/** PEM texts; without `ca` the authorities that Node.js trusts. */
export interface KafkaTls {
  readonly ca?: Buffer | string;
  /** The client's certificate, with its chain, for brokers that require one. */
  readonly cert?: Buffer | string;
  readonly key?: Buffer | string;
  /** The name in the brokers' certificates; default the host of each. */
  readonly servername?: string;
}

export interface KafkaSasl {
  /** `plain` sends the password itself: only over TLS. */
  readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
  readonly username: string;
  readonly password: string;
}

export interface KafkaLogOptions {
  /** `host:port` of some brokers; the others are discovered through them. */
  readonly brokers: readonly string[];
  /** Shown in the brokers' logs and quotas. */
  readonly clientId: string;
  /** `true`: with the defaults of `KafkaTls`. Absent: not encrypted. */
  readonly tls?: KafkaTls | true;
  readonly sasl?: KafkaSasl;
  /** Prefix of the names of all topics and groups: for several installations on one cluster. */
  readonly topicPrefix?: string;
  /** Topics with one replica are created and accepted. Otherwise they are refused. */
  readonly allowSingleBroker: boolean;
  /** Creates no topic: a missing one is `LogDamaged`. */
  readonly mustExist?: boolean;
  /** Timeout of a call of `append`, ms. */
  readonly sendTimeoutMs: number;
  /** Bytes of values that may wait for the brokers before `append` refuses; default 64 MiB. */
  readonly maxPendingBytes?: number;
  /** Time that opening waits for brokers that do not answer, ms; default 30 s. */
  readonly openTimeoutMs?: number;
  /** The only topics to create, check, read and write; default all. */
  readonly topics?: readonly TopicName[];
  readonly log?: { warn(message: string): void };
}
