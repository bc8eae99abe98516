import type { RetentionMonths } from './retention-months.js';
import type { ServiceName } from '@countersign/contracts';

/** The whole configuration, read once from the environment; `process.env` is read nowhere else. */
export interface Config {
  readonly profile: 'embedded' | 'distributed';
  /** Absolute. */
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** The port of `/healthz`, `/readyz` and `/metrics` alone; `null`: they are on `port`, with everything else. */
  readonly probesPort: number | null;
  /** What a scraper of `/metrics` on the public port sends as bearer token; `null`: only this machine is answered. */
  readonly metricsToken: string | null;
  /** Bytes that stay free in the data directory; with less, checks are refused. `null`: 64 MiB, or a twentieth of a small disk. */
  readonly minFreeBytes: number | null;
  /** A data directory in use may have other inodes than before: it is not refused as a copy. */
  readonly allowChangedInodes: boolean;
  /** `COUNTERSIGN_PUBLIC_URL` without a trailing slash, or `null`. */
  readonly publicUrl: string | null;
  /** Where mcp reaches the API in other processes; no trailing slash. `null`: in its own. */
  readonly apiUrl: string | null;
  /** An edge proxy alone reaches this process and tells the caller's address in a header. */
  readonly behindEdge: boolean;
  /** What one address may ask of the public routes in a minute, in their own measure (`Route.perAddress`). */
  readonly publicRequestsPerMinute: number;
  /** Deadline of `POST /v1/check`, ms. */
  readonly checkDeadlineMs: number;
  /** Idempotency keys of one account that are remembered at a time. */
  readonly idempotencyKeysPerAccount: number;
  /** Overrides every plan's cadence, seconds; `null`: the plan's. */
  readonly anchorWindowSeconds: number | null;
  readonly openRegistration: boolean;
  readonly localnetPort: number | null;
  /** Given RPC addresses; empty: the embedded network. */
  readonly solanaRpcUrls: readonly string[];
  readonly kafkaBrokers: readonly string[];
  /** `null`: connections to the brokers are not encrypted. Files are absolute and in PEM. */
  readonly kafkaTls: {
    /** `null`: the authorities that Node.js trusts. */
    readonly caFile: string | null;
    /** Our own certificate, together with its key, for brokers that ask for one. */
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
  /** Before every topic and consumer group, so that installations can share brokers; empty: none. */
  readonly kafkaTopicPrefix: string;
  /** Before every key, so that installations can share a server; empty: none. */
  readonly redisPrefix: string;
  /** Topics may have one replica, or be confirmed by one broker alone. */
  readonly allowSingleBroker: boolean;
  /** Where the instance secret lies; `null`: `<data>/instance-secret`, made at the first start. */
  readonly instanceSecretFile: string | null;
  /** What encrypts the files of signing keys; `null`: they are kept in clear, with mode 0600. A file is absolute. */
  readonly signingPassphrase: { readonly text: string } | { readonly file: string } | null;
  /** Keeps signing keys outside: new ones are made there, and sign there; `null`: they are files. */
  readonly signer: {
    /** No trailing slash. */
    readonly url: string;
    /** Absolute; what it holds is sent as a bearer token. `null`: none is sent. */
    readonly tokenFile: string | null;
  } | null;
  /** Where services of other processes are reached by their peers, by service name; no trailing slash. */
  readonly peerUrls: Readonly<Partial<Record<ServiceName, string>>>;
  /** `host:port` each, in small letters: webhooks may go there whatever it is, also without TLS. */
  readonly webhookAllowedHosts: readonly string[];
  /** For how long violations of one kind are summed after the first, seconds. */
  readonly alertWindowSeconds: number;
  /** How long content is kept; `null`: nothing is taken away by its age. */
  readonly retentionMonths: RetentionMonths | null;
  /** `null`: no e-mail. */
  readonly smtpUrl: string | null;
  /** Sender of e-mail; `null`: `countersign` at the mail server's host. */
  readonly smtpFrom: string | null;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
  /** Where a refusal for plan reasons points: `upgrade_url`. */
  readonly upgradeUrl: string;
}
