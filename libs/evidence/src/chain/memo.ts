import type { Sha256 } from '../crypto.js';
import { isInstant, isoDuration, parseIsoDuration } from '../encoding/time.js';
import { agentKey } from '../window/window-tree.js';

/** Content of the memo in a window's transaction. */
export interface WindowMemo {
  /** Root of the window tree, lower-case hex. */
  readonly root: string;
  /** Root of the previous window of the same duration that had events; `null` for the first. */
  readonly prev: string | null;
  /** ISO 8601 UTC with milliseconds. */
  readonly windowStart: string;
  readonly durationSeconds: number;
  /** Size of the window tree. */
  readonly agents: number;
  readonly events: number;
}

const WINDOW =
  /^countersign\/1 root=([0-9a-f]{64}) prev=([0-9a-f]{64}|0) window=([^/ ]+)\/([^ ]+) agents=([1-9]\d*) events=([1-9]\d*)$/;
const REPORT = /^countersign\/1 report=([0-9a-f]{64})$/;
const REGISTRATION = /^countersign\/1 register=([0-9a-f]{64})$/;

/** `countersign/1 root=<64 hex> prev=<64 hex or 0> window=<ISO start>/<ISO duration> agents=<n> events=<n>` */
export function windowMemo(memo: WindowMemo): string {
  const window = `${memo.windowStart}/${isoDuration(memo.durationSeconds)}`;
  return `countersign/1 root=${memo.root} prev=${memo.prev ?? '0'} window=${window} agents=${memo.agents} events=${memo.events}`;
}

/** `null` for any text that {@link windowMemo} would not write. */
export function parseWindowMemo(text: string): WindowMemo | null {
  const match = WINDOW.exec(text);
  if (match === null) return null;
  const [, root, prev, windowStart, duration, agents, events] = match as unknown as string[];
  const durationSeconds = parseIsoDuration(duration!);
  if (durationSeconds === null || !isInstant(windowStart)) return null;
  const memo: WindowMemo = {
    root: root!,
    prev: prev === '0' ? null : prev!,
    windowStart,
    durationSeconds,
    agents: Number(agents),
    events: Number(events),
  };
  return Number.isSafeInteger(memo.agents) && Number.isSafeInteger(memo.events) ? memo : null;
}

/** `countersign/1 report=<content hash>` */
export function reportMemo(contentHash: string): string {
  return `countersign/1 report=${contentHash}`;
}

export function parseReportMemo(text: string): string | null {
  return REPORT.exec(text)?.[1] ?? null;
}

/** `countersign/1 register=<SHA-256 of the agent id>`: what an agent's wallet signs to register it. */
export function registrationMemo(agentId: string, sha256: Sha256): string {
  return `countersign/1 register=${agentKey(agentId, sha256)}`;
}

/** The hash of the agent id that a registration memo names; `null` for any other text. */
export function parseRegistrationMemo(text: string): string | null {
  return REGISTRATION.exec(text)?.[1] ?? null;
}
