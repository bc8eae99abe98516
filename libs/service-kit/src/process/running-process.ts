export interface RunningProcess {
  /** The address it listens on. */
  readonly address: string;
  notReady(): readonly string[];
  /** Stops intake, drains, commits, closes. */
  stop(): Promise<void>;
}

/** How long requests may still run once the process stops, ms. */
export const GRACE_MS = 10_000;
