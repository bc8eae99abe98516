import type { LocalnetClock } from './bank/slots.js';

export interface LocalnetOptions {
  /** Directory of the ledger; made when it is not there. */
  readonly dir: string;
  /** JSON-RPC listens here and WebSocket on the next port; 0 takes a free pair. */
  readonly port: number;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  /** How long after it landed a transaction is finalized, in whole slots of 400 ms; 1000 unless given. */
  readonly finalityMs?: number;
  readonly clock?: LocalnetClock;
}

/** A running embedded network. */
export interface Localnet {
  readonly rpcUrl: string;
  readonly wsUrl: string;
  /** Base58; made with the ledger and kept by it. */
  readonly genesisHash: string;
  /** Takes nothing more, lands what it took, closes the ledger. */
  close(): Promise<void>;
}
