import type { Message } from './message.js';
import type { ToolGuard } from './tool-guard.js';

/** Where messages go. Each text is one message. */
export interface Ends {
  readonly toClient: (text: string) => void;
  readonly toServer: (message: Message) => void;
  /** The answer to `initialize`. */
  readonly opened?: (protocolVersion: string) => void;
  /** Hears the server no more (`true`), or again. What it wrote before may still come. `false`: it cannot be held. */
  readonly hold?: (held: boolean) => boolean;
}

export interface RelayOptions {
  readonly guard: Pick<ToolGuard, 'judge' | 'scan' | 'offLimits' | 'report'>;
  readonly ends: Ends;
  /** Named to the model where the service does not answer. */
  readonly baseUrl: string;
  /** Takes a line for whoever runs the proxy. */
  readonly note: (line: string) => void;
  /** How long a call that was cancelled may still be answered before it is told to have failed. */
  readonly cancelledMs?: number;
}
