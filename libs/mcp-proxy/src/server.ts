import type { Message } from './message.js';

/** What the proxy stands before. */
export interface McpServer {
  readonly send: (message: Message) => void;
  /** The version that the answer to `initialize` names. */
  readonly opened?: (protocolVersion: string) => void;
  /** Reads nothing of what it writes (`true`), so that it waits, or goes on to. */
  readonly hold?: (held: boolean) => void;
  /**
   * Nothing more will be sent. `gently`: it may end what it does, as long as `busy` says so and a while at most; `now` makes
   * haste, also after that.
   */
  readonly end: (how: 'gently' | 'now', busy?: () => boolean) => void;
  /** Resolves once it is gone. */
  readonly gone: Promise<ServerEnd>;
}

/** How it ended. */
export interface ServerEnd {
  /** For people: the rest of a sentence that begins with the reason why something has no answer. */
  readonly why: string;
  /** What this process ends with. */
  readonly exitCode: number;
}

export interface ServerEvents {
  /** A message, or what may be one. */
  readonly line: (text: string) => void;
  /** A request cannot be answered. */
  readonly failed: (message: Message, why: string) => void;
  /** For whoever runs the proxy. */
  readonly note: (line: string) => void;
}
