/** Calls that one thread offers to another, by name: plain data in, plain data out. */
export type CallHandlers = Readonly<Record<string, (argument: never) => unknown>>;

interface Call {
  readonly id: number;
  readonly name: string;
  readonly argument: unknown;
}

type Reply =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly name: string; readonly message: string } };

/** One end of a channel between threads. */
export interface Channel {
  listen(listener: (message: unknown) => void): void;
  post(message: unknown): void;
}

/** Answers calls from a channel; an error is answered with its name and message. */
export function answerCalls(channel: Channel, handlers: CallHandlers): void {
  channel.listen((message) => {
    const { id, name, argument } = message as Call;
    const run = async (): Promise<unknown> => {
      const handler = handlers[name];
      if (handler === undefined) throw new Error(`there is no call ${name}`);
      return handler(argument as never);
    };
    run().then(
      (value) => channel.post({ id, value } satisfies Reply),
      (error: unknown) => channel.post({ id, error: described(error) } satisfies Reply),
    );
  });
}

function described(error: unknown): { name: string; message: string } {
  return error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
}

type Result<H extends CallHandlers, K extends keyof H> = Awaited<ReturnType<H[K]>>;
type Argument<H extends CallHandlers, K extends keyof H> = Parameters<H[K]> extends [infer A] ? A : undefined;

/** Calls over a channel. `fail` rejects pending and later calls: the other thread has ended. */
export class Caller<H extends CallHandlers> {
  readonly #channel: Channel;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #next = 1;
  #gone: Error | null = null;

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.listen((message) => {
      const reply = message as Reply;
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ('error' in reply) {
        waiting?.reject(Object.assign(new Error(reply.error.message), { name: reply.error.name }));
      } else waiting?.resolve(reply.value);
    });
  }

  call<K extends keyof H & string>(name: K, argument: Argument<H, K>): Promise<Result<H, K>> {
    if (this.#gone !== null) return Promise.reject(this.#gone);
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.#channel.post({ id, name, argument } satisfies Call);
    });
  }

  fail(error: Error): void {
    this.#gone = error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }
}
