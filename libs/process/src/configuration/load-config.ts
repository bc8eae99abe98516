import { resolve } from 'node:path';
import { CLIENT_VARIABLES } from './client-environment.js';
import type { Config } from './config.js';
import { consoleOperations, consoleOperationsProblems, namedAddresses } from './console-operations.js';
import { kafkaAccess, kafkaAccessProblems } from './kafka-access.js';
import {
  anyCase,
  boolean,
  hostName,
  httpUrl,
  httpUrls,
  integer,
  list,
  namePrefix,
  oneOf,
  redisUrl,
  serverName,
  text,
  urlOf,
} from './readers.js';
import type { Reader } from './readers.js';
import { RETENTION_MONTHS, retentionMonths } from './retention-months.js';
import { exportsTelemetry, otlpConfig, TELEMETRY } from './telemetry.js';
import { tlsFiles, tlsProblems, unusedWhenDistributed } from './server-tls.js';
import { signingKeyAccess, signingKeyProblems } from './signing-key-access.js';
import {
  issuerUrl,
  rolesByValue,
  scopes,
  shownName,
  singleSignOn,
  singleSignOnProblems,
  uuid,
} from './single-sign-on.js';

/** The environment has invalid variables; `problems` has one line for each. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
  constructor(readonly problems: readonly string[]) {
    super(problems.join('\n'));
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

const PREFIX = 'COUNTERSIGN_';
/** Prefix reserved for tests: variables that nothing here reads. */
const TESTS_PREFIX = 'COUNTERSIGN_TEST_';
/** Variables of clients, which may be set where a service or a command runs. */
const OF_CLIENTS: ReadonlySet<string> = new Set(CLIENT_VARIABLES);
const NEEDED_WHEN_DISTRIBUTED = ['KAFKA_BROKERS', 'MONGODB_URI', 'REDIS_URL', 'SOLANA_RPC_URL'] as const;

/** Addresses of other processes, which have no effect in the embedded profile alone. */
const ELSEWHERE = ['KAFKA_', 'MONGODB_', 'REDIS_'] as const;
/** Variables that have no effect in the embedded profile. */
const DISTRIBUTED_ONLY = [
  'COUNTERSIGN_PROBES_PORT',
  'COUNTERSIGN_BEHIND_EDGE',
  'COUNTERSIGN_ALLOW_SINGLE_BROKER',
  'COUNTERSIGN_KAFKA_TOPIC_PREFIX',
  'COUNTERSIGN_REDIS_PREFIX',
  'COUNTERSIGN_INSTANCE_SECRET_FILE',
  'COUNTERSIGN_IDENTITY_URL',
  'COUNTERSIGN_POLICY_URL',
  'COUNTERSIGN_AUDIT_LOG_URL',
  'COUNTERSIGN_ANCHORING_URL',
  'COUNTERSIGN_REPORTING_URL',
  'COUNTERSIGN_CONSOLE_PROBES',
] as const;

const READERS = {
  COUNTERSIGN_PROFILE: oneOf(['embedded', 'distributed']),
  COUNTERSIGN_DATA_DIR: text(),
  COUNTERSIGN_HOST: hostName(),
  COUNTERSIGN_PORT: integer(0, 65_535),
  COUNTERSIGN_PROBES_PORT: integer(0, 65_535),
  COUNTERSIGN_TLS_CERT_FILE: text(),
  COUNTERSIGN_TLS_KEY_FILE: text(),
  COUNTERSIGN_METRICS_TOKEN: text(),
  COUNTERSIGN_MIN_FREE_BYTES: integer(0, 999_999_999_999_999),
  COUNTERSIGN_ALLOW_CHANGED_INODES: boolean(),
  COUNTERSIGN_PUBLIC_URL: httpUrl(),
  COUNTERSIGN_API_URL: httpUrl(),
  COUNTERSIGN_BEHIND_EDGE: boolean(),
  COUNTERSIGN_CHECK_DEADLINE_MS: integer(1, 60_000),
  COUNTERSIGN_PUBLIC_REQUESTS_PER_MINUTE: integer(1, 10_000_000),
  COUNTERSIGN_IDEMPOTENCY_KEYS_PER_ACCOUNT: integer(100, 1_000_000),
  COUNTERSIGN_PENDING_APPROVALS_PER_AGENT: integer(1, 500),
  COUNTERSIGN_ANCHOR_WINDOW_SECONDS: integer(1, 86_400),
  COUNTERSIGN_OPEN_REGISTRATION: boolean(),
  COUNTERSIGN_OIDC_ISSUER: issuerUrl(),
  COUNTERSIGN_OIDC_CLIENT_ID: text(),
  COUNTERSIGN_OIDC_CLIENT_SECRET_FILE: text(),
  COUNTERSIGN_OIDC_SCOPES: scopes(),
  COUNTERSIGN_OIDC_LABEL: shownName(),
  COUNTERSIGN_OIDC_ROLE_CLAIM: text(),
  COUNTERSIGN_OIDC_ROLES: rolesByValue(),
  COUNTERSIGN_OIDC_ACCOUNT: uuid(),
  COUNTERSIGN_OIDC_CREATE_USERS: boolean(),
  COUNTERSIGN_OIDC_REFUSE_PASSWORDS: boolean(),
  COUNTERSIGN_CONSOLE_OPERATIONS: boolean(),
  COUNTERSIGN_CONSOLE_PROBES: namedAddresses(),
  COUNTERSIGN_LOCALNET_PORT: integer(1, 65_534),
  COUNTERSIGN_LOG_LEVEL: oneOf(['fatal', 'error', 'warn', 'info', 'debug', 'silent']),
  COUNTERSIGN_UPGRADE_URL: httpUrl(),
  COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS: list(),
  COUNTERSIGN_ALERT_WINDOW_SECONDS: integer(1, 86_400),
  COUNTERSIGN_RETENTION_MONTHS: retentionMonths(),
  COUNTERSIGN_ALLOW_SINGLE_BROKER: boolean(),
  COUNTERSIGN_KAFKA_TOPIC_PREFIX: namePrefix('._-'),
  COUNTERSIGN_REDIS_PREFIX: namePrefix('._:-'),
  COUNTERSIGN_INSTANCE_SECRET_FILE: text(),
  COUNTERSIGN_IDENTITY_URL: httpUrl(),
  COUNTERSIGN_POLICY_URL: httpUrl(),
  COUNTERSIGN_AUDIT_LOG_URL: httpUrl(),
  COUNTERSIGN_ANCHORING_URL: httpUrl(),
  COUNTERSIGN_REPORTING_URL: httpUrl(),
  COUNTERSIGN_SIGNING_PASSPHRASE: text(),
  COUNTERSIGN_SIGNING_PASSPHRASE_FILE: text(),
  COUNTERSIGN_SIGNER_URL: httpUrl(),
  COUNTERSIGN_SIGNER_TOKEN_FILE: text(),
  SOLANA_RPC_URL: httpUrls(),
  KAFKA_BROKERS: list(),
  KAFKA_TLS: boolean(),
  KAFKA_TLS_CA_FILE: text(),
  KAFKA_TLS_CERT_FILE: text(),
  KAFKA_TLS_KEY_FILE: text(),
  KAFKA_TLS_SERVERNAME: serverName(),
  KAFKA_SASL_MECHANISM: anyCase(oneOf(['plain', 'scram-sha-256', 'scram-sha-512'])),
  KAFKA_SASL_USERNAME: text(),
  KAFKA_SASL_PASSWORD_FILE: text(),
  MONGODB_URI: urlOf(['mongodb:', 'mongodb+srv:']),
  REDIS_URL: redisUrl(),
  ...TELEMETRY,
  SMTP_URL: urlOf(['smtp:', 'smtps:']),
  SMTP_FROM: text(),
} satisfies Record<string, Reader<unknown>>;

type Variable = keyof typeof READERS;
type Values = { -readonly [V in Variable]?: ReturnType<(typeof READERS)[V]['read']> };

/**
 * Reads the configuration from these variables. An empty variable counts as absent.
 * @throws ConfigurationError that names every unknown `COUNTERSIGN_` variable (except `COUNTERSIGN_TEST_…` and those of
 *   clients), every malformed value, and variables that the distributed profile lacks, has in part, or alone uses. Values
 *   are never repeated: some contain passwords.
 */
export function loadConfig(environment: Environment = process.env): Config {
  const problems = unknownVariables(environment);
  const values: Values = {};
  const exports = exportsTelemetry(environment);
  for (const [name, reader] of Object.entries(READERS) as [Variable, Reader<never>][]) {
    const raw = environment[name]?.trim();
    if (raw === undefined || raw === '' || (name in TELEMETRY && !exports)) continue;
    const value = reader.read(raw);
    if (value === null) problems.push(`${name} must be ${reader.expected}`);
    else values[name] = value;
  }
  const profile = values.COUNTERSIGN_PROFILE ?? 'embedded';
  if (profile === 'distributed') {
    problems.push(...missingWhenDistributed(environment), ...unusedWhenDistributed(values));
    if (problems.length === 0) problems.push(...kafkaAccessProblems(values));
  } else problems.push(...unusedWhenEmbedded(environment));
  const port = values.COUNTERSIGN_PORT ?? 8080;
  const probesPort = values.COUNTERSIGN_PROBES_PORT ?? null;
  if (probesPort === port && port !== 0) problems.push('COUNTERSIGN_PROBES_PORT must not be COUNTERSIGN_PORT');
  problems.push(...signingKeyProblems(values), ...tlsProblems(values));
  const openRegistration = values.COUNTERSIGN_OPEN_REGISTRATION ?? profile === 'embedded';
  if (problems.length === 0) {
    problems.push(...singleSignOnProblems(values, openRegistration), ...consoleOperationsProblems(values, profile));
  }
  if (problems.length > 0) throw new ConfigurationError(problems);
  return {
    profile,
    dataDir: resolve(values.COUNTERSIGN_DATA_DIR ?? 'data'),
    host: values.COUNTERSIGN_HOST ?? '127.0.0.1',
    port,
    tls: tlsFiles(values),
    probesPort,
    metricsToken: values.COUNTERSIGN_METRICS_TOKEN ?? null,
    minFreeBytes: values.COUNTERSIGN_MIN_FREE_BYTES ?? null,
    allowChangedInodes: values.COUNTERSIGN_ALLOW_CHANGED_INODES ?? false,
    publicUrl: values.COUNTERSIGN_PUBLIC_URL ?? null,
    apiUrl: values.COUNTERSIGN_API_URL ?? null,
    behindEdge: values.COUNTERSIGN_BEHIND_EDGE ?? false,
    publicRequestsPerMinute: values.COUNTERSIGN_PUBLIC_REQUESTS_PER_MINUTE ?? 3000,
    checkDeadlineMs: values.COUNTERSIGN_CHECK_DEADLINE_MS ?? 1000,
    pendingApprovalsPerAgent: values.COUNTERSIGN_PENDING_APPROVALS_PER_AGENT ?? 100,
    idempotencyKeysPerAccount: values.COUNTERSIGN_IDEMPOTENCY_KEYS_PER_ACCOUNT ?? 100_000,
    anchorWindowSeconds: values.COUNTERSIGN_ANCHOR_WINDOW_SECONDS ?? null,
    openRegistration,
    singleSignOn: singleSignOn(values),
    consoleOperations: consoleOperations(values, profile, openRegistration),
    localnetPort: values.COUNTERSIGN_LOCALNET_PORT ?? null,
    solanaRpcUrls: values.SOLANA_RPC_URL ?? [],
    kafkaBrokers: values.KAFKA_BROKERS ?? [],
    ...kafkaAccess(values),
    mongodbUri: values.MONGODB_URI ?? null,
    redisUrl: values.REDIS_URL ?? null,
    kafkaTopicPrefix: values.COUNTERSIGN_KAFKA_TOPIC_PREFIX ?? '',
    redisPrefix: values.COUNTERSIGN_REDIS_PREFIX ?? '',
    allowSingleBroker: values.COUNTERSIGN_ALLOW_SINGLE_BROKER ?? false,
    instanceSecretFile: given(values.COUNTERSIGN_INSTANCE_SECRET_FILE, resolve),
    ...signingKeyAccess(values),
    peerUrls: withoutAbsent({
      identity: values.COUNTERSIGN_IDENTITY_URL,
      policy: values.COUNTERSIGN_POLICY_URL,
      'audit-log': values.COUNTERSIGN_AUDIT_LOG_URL,
      anchoring: values.COUNTERSIGN_ANCHORING_URL,
      reporting: values.COUNTERSIGN_REPORTING_URL,
    }),
    webhookAllowedHosts: (values.COUNTERSIGN_WEBHOOK_ALLOWED_HOSTS ?? []).map((host) => host.toLowerCase()),
    alertWindowSeconds: values.COUNTERSIGN_ALERT_WINDOW_SECONDS ?? 300,
    retentionMonths: given(values.COUNTERSIGN_RETENTION_MONTHS ?? RETENTION_MONTHS, (months) =>
      months === 'off' ? null : months,
    ),
    otlp: otlpConfig(values),
    smtpUrl: values.SMTP_URL ?? null,
    smtpFrom: values.SMTP_FROM ?? null,
    logLevel: values.COUNTERSIGN_LOG_LEVEL ?? 'info',
    upgradeUrl: values.COUNTERSIGN_UPGRADE_URL ?? 'https://countersign.example/upgrade',
  };
}

function given<T, R>(value: T | null | undefined, use: (value: T) => R): R | null {
  return value === undefined || value === null ? null : use(value);
}

function withoutAbsent<K extends string>(
  urls: Readonly<Record<K, string | null | undefined>>,
): Partial<Record<K, string>> {
  return Object.fromEntries(Object.entries(urls).filter(([, url]) => typeof url === 'string')) as Partial<
    Record<K, string>
  >;
}

function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !name.startsWith(TESTS_PREFIX))
    .filter((name) => !(name in READERS) && !OF_CLIENTS.has(name))
    .sort()
    .map((name) => `${name} is not a variable of this program`);
}

/** Refuses settings of servers without the distributed profile: an installation must not silently run on a local folder. */
function unusedWhenEmbedded(environment: Environment): string[] {
  const isSet = (name: string): boolean => (environment[name] ?? '').trim() !== '';
  const unused = DISTRIBUTED_ONLY.filter(isSet).map((name) => `${name} needs COUNTERSIGN_PROFILE=distributed`);
  if (isSet('COUNTERSIGN_PROFILE')) return unused;
  const servers = Object.keys(READERS).filter(
    (name) => isSet(name) && ELSEWHERE.some((start) => name.startsWith(start)),
  );
  return [
    ...unused,
    ...servers.map(
      (name) => `${name} is for COUNTERSIGN_PROFILE=distributed; set that, or embedded to leave it unused`,
    ),
  ];
}

function missingWhenDistributed(environment: Environment): string[] {
  const missing = NEEDED_WHEN_DISTRIBUTED.filter((name) => (environment[name] ?? '').trim() === '');
  return missing.map((name) => `${name} is missing: COUNTERSIGN_PROFILE=distributed needs it`);
}
