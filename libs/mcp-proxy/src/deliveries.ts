import { AsyncLocalStorage } from 'node:async_hooks';
import { keyOf, type Message } from './message.js';

/** An answer that was awaited will not come. Its message holds nothing that a server wrote. */
export class NoAnswerError extends Error {
  override readonly name = 'NoAnswerError';
}

/** One message on its way, and what is known of its answer. */
interface Delivery {
  readonly message: Message;
  answered: boolean;
  /** The server gave a place from which its stream can be resumed. */
  resumable: boolean;
  /** The transport has taken an answer to something else for this one, and resumes nothing. */
  strayed: boolean;
  /** The answer is one body, which has been read once the message is delivered. */
  whole: boolean;
  resumed: number;
  /** Tries to resume in a row that failed. */
  failed: number;
}

/** The transport takes this status for a server that has no such streams, tries no more and says nothing. */
const NO_STREAM = 405;
/** A server that lets its stream be resumed more often than that for one answer is not waited for any more. */
const RESUMED_IN_ALL = 10_000;

/**
 * Follows each request that is sent by HTTP to the end of its answer, through every stream that resumes it, so that whoever
 * waits hears where none will come. Sends the text of a message, as it was judged, and not what was parsed of it.
 */
export class Deliveries {
  readonly #current = new AsyncLocalStorage<Delivery>();

  /**
   * @param resumedAtMost failures to resume a stream after which the transport tries no more
   * @param lost takes a request whose answer will not come
   */
  constructor(
    private readonly send: typeof fetch,
    private readonly resumedAtMost: number,
    private readonly lost: (message: Message, why: string) => void,
  ) {}

  /** @param send as the transport has it; @throws NoAnswerError where what came is whole and holds no answer; as `send` */
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

  /** A message has come. */
  heard(message: object): void {
    const delivery = this.#current.getStore();
    if (delivery?.message.kind !== 'request' || !('id' in message) || 'method' in message) return;
    const { id } = message as { readonly id: string | number };
    if (keyOf(id) === keyOf(delivery.message.id)) delivery.answered = true;
    else if ('result' in message) delivery.strayed = true;
  }

  /** For the transport. */
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
    if (delivery.resumed > RESUMED_IN_ALL) this.#lose(delivery, 'it ended its answer too often');
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
      // What came before is read by then.
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

/** The same stream, which tells of its end, also where it breaks off. */
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
