import type { LocalnetClock } from './bank/slots.js';

export interface LocalnetOptions {
  /** Directory of the ledger; created when it does not exist. */
  readonly dir: string;
  /** JSON-RPC listens here and WebSocket on the next port; 0 takes a free pair. */
  readonly port: number;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  /** Time from landing to finalization, in whole slots of 400 ms; default 1000. */
  readonly finalityMs?: number;
  readonly clock?: LocalnetClock;
}

/** A running embedded network. */
export interface Localnet {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  /** Base58; created with the ledger and stored in it. */
  readonly genesisHash: string;
  /** Accepts nothing more, executes what it accepted, closes the ledger. */
  close(): Promise<void>;
}
