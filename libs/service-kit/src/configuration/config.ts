/** The whole configuration, read once from the environment; `process.env` is read nowhere else. */
export interface Config {
  readonly profile: 'embedded' | 'distributed';
  /** Absolute. */
  readonly dataDir: string;
  readonly host: string;
  readonly port: number;
  /** `COUNTERSIGN_PUBLIC_URL` without a trailing slash, or `null`. */
  readonly publicUrl: string | null;
  /** Deadline of `POST /v1/check`, ms. */
  readonly checkDeadlineMs: number;
  /** Overrides every plan's cadence, seconds; `null`: the plan's. */
  readonly anchorWindowSeconds: number | null;
  readonly openRegistration: boolean;
  readonly localnetPort: number | null;
  /** Given RPC addresses; empty: the embedded network. */
  readonly solanaRpcUrls: readonly string[];
  readonly kafkaBrokers: readonly string[];
  readonly mongodbUri: string | null;
  readonly redisUrl: string | null;
  readonly logLevel: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'silent';
  /** Where a refusal for plan reasons points: `upgrade_url`. */
  readonly upgradeUrl: string;
}
