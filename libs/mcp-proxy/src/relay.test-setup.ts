import type { CheckResult } from '@countersign/client';
import { Relay } from './relay.js';
import type { ToolCall } from './tool-call.js';

export type Json = Readonly<Record<string, unknown>>;

/** Tools that the played server has listed first, and the id of that request. */
const LISTED = ['read', 'wire', 'a', 'b'];
const LISTING = 'listed before';

/** A relay between a played client and a played server, with a guard that the test controls. */
export class PlayedRelay {
  /** Messages that each end received. */
  readonly client: unknown[] = [];
  readonly server: unknown[] = [];
  readonly notes: string[] = [];
  /** Versions of opened sessions. */
  readonly opened: string[] = [];
  readonly reports: string[] = [];
  readonly judged: ToolCall[] = [];
  readonly scanned: string[] = [];
  readonly lengths: string[] = [];
  judge: (call: ToolCall, signal: AbortSignal) => Promise<CheckResult> = ({ name }) =>
    Promise.resolve({ allowed: true, eventId: `event of ${name}` });
  scan: (text: string) => Promise<CheckResult> = () => Promise.resolve({ allowed: true });
  hidden: readonly string[] = [];
  /** The server can be held; the requests to hold or continue. */
  canBeHeld = false;
  readonly holds: boolean[] = [];
  readonly relay: Relay;

  constructor(cancelledMs?: number) {
    this.relay = new Relay({
      guard: {
        judge: (call, _server, signal) => {
          this.judged.push(call);
          return this.judge(call, signal);
        },
        scan: (text, length) => {
          if (text === '' || text === LISTED.join('\n')) return Promise.resolve({ allowed: true });
          this.scanned.push(text);
          this.lengths.push(length);
          return this.scan(text);
        },
        offLimits: (names) => Promise.resolve(new Set(this.hidden.filter((name) => names.includes(name)))),
        report: (eventId, outcome, detail) =>
          void this.reports.push([eventId, outcome, ...(detail === undefined ? [] : [detail])].join(' ')),
      },
      ends: {
        toClient: (text) => void (text.includes(LISTING) || this.client.push(JSON.parse(text))),
        opened: (version) => void this.opened.push(version),
        hold: (held) => this.holds.push(held) > 0 && this.canBeHeld,
        toServer: ({ text }) => void (text.includes(LISTING) || this.server.push(JSON.parse(text))),
      },
      baseUrl: 'http://service.example',
      note: (line) => void this.notes.push(line),
      ...(cancelledMs === undefined ? {} : { cancelledMs }),
    });
    this.relay.fromClient(JSON.stringify({ id: LISTING, method: 'tools/list' }));
    this.relay.fromServer(JSON.stringify({ id: LISTING, result: { tools: LISTED.map((name) => ({ name })) } }));
  }

  /** Sends a message of the client and waits for its effects. */
  async ask(message: unknown): Promise<void> {
    this.relay.fromClient(typeof message === 'string' ? message : JSON.stringify(message));
    await settled();
  }

  /** Sends a message of the server and waits for its effects. */
  async say(message: unknown): Promise<void> {
    this.relay.fromServer(typeof message === 'string' ? message : JSON.stringify(message));
    await settled();
  }

  /** Opens the session with this protocol version. */
  async open(protocolVersion: string): Promise<void> {
    await this.ask({ id: 'init', method: 'initialize', params: {} });
    await this.say({ id: 'init', result: { protocolVersion, serverInfo: { name: 'played' } } });
    this.client.length = 0;
    this.server.length = 0;
  }
}

export const call = (id: unknown, name: unknown = 'read', more: Json = {}): Json => ({
  id,
  method: 'tools/call',
  params: { name, arguments: { a: 1 }, ...more },
});

export const result = (id: unknown, text: string, more: Json = {}): Json => ({
  id,
  result: { content: [{ type: 'text', text }], ...more },
});

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
