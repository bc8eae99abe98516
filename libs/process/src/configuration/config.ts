import type { ConsoleOperations } from './console-operations.js';
import type { OtlpConfig } from './telemetry.js';
import type { RetentionMonths } from './retention-months.js';
import type { SingleSignOnConfig } from './single-sign-on.js';
import type { ServiceName } from '@countersign/contracts';

/** The whole configuration, read once from the environment; `process.env` is read nowhere else. */
export interface Config {
  readonly profile: 'embedded' | 'distributed';
  /** Absolute. */
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** The certificate of the public address and its key, PEM, absolute paths; `null`: the address is plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null;
  /** The port of `/healthz`, `/readyz` and `/metrics`; `null`: they are on `port`. */
  readonly probesPort: number | null;
  /** The bearer token of `/metrics` on the public port; `null`: only clients on this machine may read it. */
  readonly metricsToken: string | null;
  readonly otlp: OtlpConfig;
  /** Bytes that stay free in the data directory; with less, checks are refused. `null`: 64 MiB, or a twentieth of a small disk. */
  readonly minFreeBytes: number | null;
  /** Accepts a data directory whose inodes have changed, which is otherwise refused as a copy. */
  readonly allowChangedInodes: boolean;
  /** `COUNTERSIGN_PUBLIC_URL` without a trailing slash, or `null`. */
  readonly publicUrl: string | null;
  /** Address of the API for mcp, if it runs in another process; no trailing slash. `null`: this process. */
  readonly apiUrl: string | null;
  /** Only an edge proxy can reach this process, and it sends the client's address in a header. */
  readonly behindEdge: boolean;
  /** Rate limit of an address on the public routes, per minute, in the units of `Route.perAddress`. */
  readonly publicRequestsPerMinute: number;
  /** Deadline of `POST /v1/check`, ms. */
  readonly checkDeadlineMs: number;
  /** Maximum number of remembered idempotency keys of an account. */
  readonly idempotencyKeysPerAccount: number;
  /** Most approvals of an agent that are open at a time. */
  readonly pendingApprovalsPerAgent: number;
  /** Overrides every plan's cadence, seconds; `null`: the plan's. */
  readonly anchorWindowSeconds: number | null;
  readonly openRegistration: boolean;
  /** `null`: people sign in with passwords. */
  readonly singleSignOn: SingleSignOnConfig | null;
  /** `null`: the console does not show the state of the installation. */
  readonly consoleOperations: ConsoleOperations | null;
  readonly localnetPort: number | null;
  /** RPC addresses; empty: the embedded network. */
  readonly solanaRpcUrls: readonly string[];
  readonly kafkaBrokers: readonly string[];
  /** `null`: connections to the brokers are not encrypted. Files are absolute and in PEM. */
  readonly kafkaTls: {
    /** `null`: the certificate authorities that Node.js trusts. */
    readonly caFile: string | null;
    /** The client certificate with its key, for brokers that require one. */
    readonly certFile: string | null;
    readonly keyFile: string | null;
    /** The name in the brokers' certificates; `null`: the host of each. */
    readonly servername: string | null;
  } | null;
  readonly kafkaSasl: {
    readonly mechanism: 'plain' | 'scram-sha-256' | 'scram-sha-512';
    readonly username: string;
    /** Absolute. */
    readonly passwordFile: string;
  } | null;
  readonly mongodbUri: string | null;
  readonly redisUrl: string | null;
  /** Prefix of every topic and consumer group, so that installations can share brokers; empty: none. */
  readonly kafkaTopicPrefix: string;
  /** Prefix of every key, so that installations can share a server; empty: none. */
  readonly redisPrefix: string;
  /** Accepts topics with one replica, or with one in-sync replica. */
  readonly allowSingleBroker: boolean;
  /** File of the instance secret; `null`: `<data>/instance-secret`, created at the first start. */
  readonly instanceSecretFile: string | null;
  /** Encryption of the files of signing keys; `null`: none, with mode 0600. A file path is absolute. */
  readonly signingPassphrase: { readonly text: string } | { readonly file: string } | null;
  /** External signer that creates and holds signing keys; `null`: they are files. */
  readonly signer: {
    /** No trailing slash. */
    readonly url: string;
    /** Absolute; its content is sent as a bearer token. `null`: none is sent. */
    readonly tokenFile: string | null;
  } | null;
  /** Addresses of services in other processes, by service name; no trailing slash. */
  readonly peerUrls: Readonly<Partial<Record<ServiceName, string>>>;
  /** `host:port` in lower case: targets to which webhooks may be sent unconditionally, also without TLS. */
  readonly webhookAllowedHosts: readonly string[];
  /** How long violations of one kind are summed up after the first, seconds. */
  readonly alertWindowSeconds: number;
  /** How long content is kept; `null`: no content is deleted by age. */
  readonly retentionMonths: RetentionMonths | null;
  /** `null`: no e-mail. */
  readonly smtpUrl: string | null;
  /** Sender of e-mail; `null`: `countersign` at the mail server's host. */
  readonly smtpFrom: string | null;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
  /** `upgrade_url` of refusals by the plan. */
  readonly upgradeUrl: string;
}
