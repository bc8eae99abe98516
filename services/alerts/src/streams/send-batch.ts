import type { StreamCredentials } from '@countersign/contracts';
import { MAX_ANSWER_BYTES, sendHttp } from '@countersign/service-kit';
import type { OutboundNetwork, ServiceContext } from '@countersign/service-kit';
import { unseal } from '@countersign/process';
import { KINDS } from './kinds/kinds.js';
import type { SentRecord } from './kinds/sent-record.js';
import type { Stream } from './stream.js';

/** Result of an attempt; `error` is `null` if every event was accepted. */
export interface SentBatch {
  readonly status: number | null;
  readonly error: string | null;
  /** How long the receiver asks to wait, ms; `null` or absent: it does not. */
  readonly retryAfterMs?: number | null;
}

/** Sends a batch in one attempt. Rejects for a batch that can never be sent: {@link unsent} says how that is reported. */
export type SendBatch = (stream: Stream, batch: readonly SentRecord[]) => Promise<SentBatch>;

/** The result of an attempt that was rejected: the stream shows it as it shows an error of its receiver. */
export function unsent(log: Pick<ServiceContext['log'], 'error'>, { id }: Stream): (error: unknown) => SentBatch {
  return (error) => {
    log.error({ err: error, stream: id }, 'a batch of a stream cannot be sent');
    return { status: null, error: 'the batch cannot be sent: check the credentials' };
  };
}

/** Of an answer that is read: a bulk answer names each document. */
const MOST_ANSWER_BYTES = 4 * 1024 * 1024;

/**
 * @param key seals the credentials
 * @param from its members as of `Receiver`
 */
export function batchSender(
  key: Uint8Array,
  network: OutboundNetwork,
  from: { readonly originHost: string | null; readonly clock: () => number },
): SendBatch {
  return async ({ id, accountId, kind, url, format, settings = {}, sealedCredentials }, batch) => {
    let credentials: StreamCredentials;
    try {
      credentials = JSON.parse(unseal(sealedCredentials, key, id)) as StreamCredentials;
    } catch {
      return { status: null, error: 'the credentials cannot be opened: send them again' };
    }
    const to = KINDS[kind];
    const { originHost, clock } = from;
    const receiver = { streamId: id, accountId, url, format, settings, credentials, originHost, nowMs: clock() };
    if ('deliver' in to) return { status: null, error: await to.deliver(batch, receiver, network) };
    const { url: address, headers, ...message } = await to.request(batch, receiver);
    const {
      status,
      error,
      answer,
      retryAfterMs,
      headers: given,
    } = await sendHttp(
      address,
      { ...message, headers: { ...headers, 'user-agent': 'Countersign-Streams/1' } },
      network,
      to.refused === undefined ? MAX_ANSWER_BYTES : MOST_ANSWER_BYTES,
    );
    if (error === null) return { status, error: to.refused?.(answer, batch, given) ?? null };
    const why = to.explained?.(answer) ?? null;
    return { status, error: why === null ? error : `${error} ${why}`, retryAfterMs };
  };
}
