import type { Message } from './message.js';
import type { ToolGuard } from './tool-guard.js';

/** Destinations of messages. Each text is one message. */
export interface Ends {
  readonly toClient: (text: string) => void;
  readonly toServer: (message: Message) => void;
  /** Called with the version in the answer to `initialize`. */
  readonly opened?: (protocolVersion: string) => void;
  /** Stops reading from the server (`true`), or continues. Messages that it wrote before may still arrive. Returns `false` if it cannot be held. */
  readonly hold?: (held: boolean) => boolean;
}

export interface RelayOptions {
  readonly guard: Pick<ToolGuard, 'judge' | 'scan' | 'offLimits' | 'report'>;
  readonly ends: Ends;
  /** Named to the model if the service does not answer. */
  readonly baseUrl: string;
  /** Takes the result of each `tools/list` of the server. */
  readonly listed?: (result: unknown) => void;
  /** Logs a line for the operator of the proxy. */
  readonly note: (line: string) => void;
  /** How long a call waits for an approval whose page the user has been asked to open; 5 minutes if absent. */
  readonly approvalMs?: number;
  /** How long a cancelled call may still be answered before it is reported as failed. */
  readonly cancelledMs?: number;
}
