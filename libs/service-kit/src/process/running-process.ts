export interface RunningProcess {
  /** Where it listens. */
  readonly address: string;
  notReady(): readonly string[];
  /** Ends intake, drains, commits, closes. */
  stop(): Promise<void>;
}

/** How long running requests may take to end once the process is to stop, ms. */
export const GRACE_MS = 10_000;
