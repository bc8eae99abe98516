import { randomUUID } from 'node:crypto';
import { isObject, keyOf, type Response } from './message.js';

/** First protocol version in which a client can be asked to open an address. */
const FIRST_WITH_URLS = '2025-11-25';

/** A question to the user of a client. */
export interface Prompt {
  /** Resolves with `true` once the user agrees to open the address, with `false` once the user or the client does not. */
  readonly agreed: Promise<boolean>;
  /** Ends it: the client learns that the approval is decided, or that the question is withdrawn. */
  readonly close: (isDecided: boolean) => void;
}

/**
 * Asks the user of a client to open the page of an approval: elicitation with the mode `url` of the protocol. The answer says
 * that the page is opened, and never what was decided there.
 */
export class ApprovalPrompts {
  /** Unanswered questions by the ids of their requests, which no server knows. */
  readonly #open = new Map<string, (agreed: boolean) => void>();
  #canOpenUrls = false;

  constructor(private readonly toClient: (text: string) => void) {}

  /** Reads the capabilities of a client. @param params of `initialize` */
  opened(params: unknown): void {
    const capabilities = isObject(params) ? params['capabilities'] : undefined;
    const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined;
    this.#canOpenUrls = isObject(elicitation) && isObject(elicitation['url']);
  }

  /** @param version of the session; `null`: not known yet */
  canAsk(version: string | null): boolean {
    return this.#canOpenUrls && version !== null && version >= FIRST_WITH_URLS;
  }

  ask(url: string, message: string): Prompt {
    const id = `countersign/approval/${randomUUID()}`;
    const elicitationId = randomUUID();
    const agreed = new Promise<boolean>((resolve) => this.#open.set(keyOf(id), resolve));
    const params = { mode: 'url', elicitationId, url, message };
    this.#send({ id, method: 'elicitation/create', params });
    return {
      agreed,
      close: (isDecided) => {
        const isAnswered = !this.#open.delete(keyOf(id));
        if (isDecided) this.#send({ method: 'notifications/elicitation/complete', params: { elicitationId } });
        if (!isAnswered) this.#send({ method: 'notifications/cancelled', params: { requestId: id } });
      },
    };
  }

  /** Takes the answer to a question. @returns false for an answer to a request of the server */
  takes({ id, value }: Response): boolean {
    const key = id === null ? null : keyOf(id);
    const resolve = key === null ? undefined : this.#open.get(key);
    if (key === null || resolve === undefined) return typeof id === 'string' && id.startsWith('countersign/approval/');
    this.#open.delete(key);
    const { result } = value;
    resolve(isObject(result) && result['action'] === 'accept');
    return true;
  }

  #send(message: object): void {
    this.toClient(JSON.stringify({ jsonrpc: '2.0', ...message }));
  }
}
