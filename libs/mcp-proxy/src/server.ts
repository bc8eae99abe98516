import type { Message } from './message.js';

/** The server that the proxy forwards to. */
export interface McpServer {
  readonly send: (message: Message) => void;
  /** Called with the version in the answer to `initialize`. */
  readonly opened?: (protocolVersion: string) => void;
  /** Stops reading its output (`true`), so that it blocks, or continues. */
  readonly hold?: (held: boolean) => void;
  /**
   * Ends the server. `gently`: it may finish its work, while `busy` returns true and up to a limit; `now` ends it soon,
   * also after `gently`.
   */
  readonly end: (how: 'gently' | 'now', busy?: () => boolean) => void;
  /** Resolves once the server has ended. */
  readonly gone: Promise<ServerEnd>;
}

/** The end of a server. */
export interface ServerEnd {
  /** For people: completes a sentence about the reason why a request has no answer. */
  readonly why: string;
  /** Exit code for this process. */
  readonly exitCode: number;
}

export interface ServerEvents {
  /** Called for each message, valid or not. */
  readonly line: (text: string) => void;
  /** Called for a request that cannot be answered. */
  readonly failed: (message: Message, why: string) => void;
  /** Called with a line for the operator of the proxy. */
  readonly note: (line: string) => void;
}
