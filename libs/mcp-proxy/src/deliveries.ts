import { AsyncLocalStorage } from 'node:async_hooks';
import { keyOf, type Message } from './message.js';

/** An awaited answer will not arrive. The message contains no text of the server. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** A sent message and the state of its answer. */
interface Delivery {
  readonly message: Message;
  answered: boolean;
  /** The server sent an event id from which its stream can be resumed. */
  resumable: boolean;
  /** The transport has taken another answer for this one, and does not resume. */
  strayed: boolean;
  /** The answer is a single body, which has been read once the message is delivered. */
  whole: boolean;
  resumed: number;
  /** Consecutive failures to resume. */
  failed: number;
}

/** The transport takes this status for a server without such streams: it stops silently. */
const NO_STREAM = 405;
/** Maximum number of times that the stream of one answer is resumed. */
const MOST_RESUMPTIONS = 10_000;

/**
 * Follows each request that is sent by HTTP to the end of its answer, through every stream that resumes it, and reports
 * requests that will not be answered. Sends the text of a message, as it was judged, not a serialization of the parsed message.
 */
export class Deliveries {
  readonly #current = new AsyncLocalStorage<Delivery>();

  /**
   * @param resumedAtMost consecutive failures to resume a stream after which the transport gives up
   * @param lost takes a request that will not be answered
   */
  constructor(
    private readonly send: typeof fetch,
    private readonly resumedAtMost: number,
    private readonly lost: (message: Message, why: string) => void,
  ) {}

  /** @param send the transport's; @throws NoAnswerError if the complete response holds no answer; as `send` */
  async deliver(message: Message, send: (resumable: () => void) => Promise<void>): Promise<void> {
    const delivery: Delivery = {
      message,
      answered: false,
      resumable: false,
      strayed: false,
      whole: false,
      resumed: 0,
      failed: 0,
    };
    await this.#current.run(delivery, () => send(() => (delivery.resumable = true)));
    if (delivery.whole && !delivery.answered) throw new NoAnswerError('it gave no answer to what was asked');
  }

  /** Takes a received message. */
  received(message: object): void {
    const delivery = this.#current.getStore();
    if (delivery?.message.kind !== 'request' || !('id' in message) || 'method' in message) return;
    const { id } = message as { readonly id: string | number };
    if (keyOf(id) === keyOf(delivery.message.id)) delivery.answered = true;
    else if ('result' in message) delivery.strayed = true;
  }

  /** The `fetch` of the transport. */
  readonly fetch = async (url: string | URL, init: RequestInit = {}): Promise<Response> => {
    const delivery = this.#current.getStore();
    if (delivery === undefined) return this.send(url, init);
    if (init.method === 'POST') {
      const response = await this.send(url, { ...init, body: delivery.message.text });
      return delivery.message.kind === 'request' ? this.#answer(response, delivery) : response;
    }
    const resumes = init.method === 'GET' && delivery.message.kind === 'request';
    return resumes ? this.#resume(url, init, delivery) : this.send(url, init);
  };

  #answer(response: Response, delivery: Delivery): Response {
    if (!response.ok) return response;
    if (isStream(response)) return this.#watched(response, delivery);
    delivery.whole = true;
    return response;
  }

  async #resume(url: string | URL, init: RequestInit, delivery: Delivery): Promise<Response> {
    delivery.resumed += 1;
    if (delivery.resumed > MOST_RESUMPTIONS) this.#lose(delivery, 'it ended its answer too often');
    if (delivery.answered) return new Response(null, { status: NO_STREAM });
    try {
      const response = await this.send(url, init);
      if (response.ok && isStream(response)) {
        delivery.failed = 0;
        return this.#watched(response, delivery);
      }
      delivery.failed = response.status === NO_STREAM ? this.resumedAtMost : delivery.failed + 1;
      if (!response.ok) return response;
      void response.body?.cancel();
    } catch (error) {
      delivery.failed += 1;
      throw error;
    } finally {
      if (delivery.failed >= this.resumedAtMost) this.#lose(delivery, 'its answer broke off and could not be resumed');
    }
    throw new NoAnswerError('it is no stream');
  }

  #watched(response: Response, delivery: Delivery): Response {
    const { body, status, statusText, headers } = response;
    const ended = (): void => {
      // Everything before the end has been read by then.
      setImmediate(() => {
        if (!delivery.resumable || delivery.strayed) this.#lose(delivery, 'its answer broke off');
      });
    };
    if (body === null) {
      ended();
      return response;
    }
    return new Response(watched(body, ended), { status, statusText, headers });
  }

  #lose(delivery: Delivery, why: string): void {
    if (delivery.answered) return;
    delivery.answered = true;
    this.lost(delivery.message, why);
  }
}

function isStream(response: Response): boolean {
  return /^\s*text\/event-stream\s*(?:;|$)/iu.test(response.headers.get('content-type') ?? '');
}

/** The same stream with a callback at its end, also if it breaks off. */
function watched(body: ReadableStream<Uint8Array>, ended: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          controller.close();
        } catch (error) {
          controller.error(error);
        }
        return ended();
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}
