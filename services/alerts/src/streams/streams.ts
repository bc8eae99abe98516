import { randomUUID } from 'node:crypto';
import type {
  FollowedStream,
  NewStreamBody,
  StreamChangeBody,
  StreamCredentials,
  StreamKind,
  StreamRecord,
  StreamSettings,
} from '@countersign/contracts';
import { parseTime } from '@countersign/evidence';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import { readPublicUrl } from '@countersign/service-kit';
import type { ActRecorder, ServiceContext } from '@countersign/service-kit';
import type { Act } from '@countersign/topics';
import { seal, unseal } from '@countersign/process';
import { MOST_TESTS, TestAllowance } from '../domain/test-allowance.js';
import { streamAct, streamTested } from '../trail/acts.js';
import { otherSettings } from './kinds/kind.js';
import { KINDS } from './kinds/kinds.js';
import { testRecord } from './kinds/sent-record.js';
import { unsent, type SendBatch } from './send-batch.js';
import { MOST_STREAMS, streamRecord, type Stream } from './stream.js';
import type { StreamDispatcher } from './stream-dispatcher.js';
import type { StreamState, StreamStore } from './stream-store.js';

export interface StreamRules {
  /** Key that seals the credentials, 32 bytes. */
  readonly key: Uint8Array;
  /** `host:port` each. */
  readonly allowedHosts: readonly string[];
  readonly clock: () => number;
  readonly log: Pick<ServiceContext['log'], 'error'>;
  readonly recorded: ActRecorder;
  /** Appends the events of the outbox to the log; a failure is repeated. */
  readonly publish: () => void;
}

type Caller = Pick<SessionCaller, 'accountId' | 'userId'>;

/** The streams of accounts, for the routes. Every method throws `HttpRefusal`. */
export class Streams {
  readonly #store: StreamStore;
  readonly #dispatcher: Pick<StreamDispatcher, 'wake' | 'lagOf'>;
  readonly #send: SendBatch;
  readonly #rules: StreamRules;
  readonly #tests = new TestAllowance();

  constructor(
    store: StreamStore,
    dispatcher: Pick<StreamDispatcher, 'wake' | 'lagOf'>,
    send: SendBatch,
    rules: StreamRules,
  ) {
    this.#store = store;
    this.#dispatcher = dispatcher;
    this.#send = send;
    this.#rules = rules;
  }

  async list(accountId: string): Promise<{ readonly streams: readonly FollowedStream[] }> {
    const streams = await this.#store.list(accountId);
    const states = await this.#store.states(streams.map(({ id }) => id));
    return { streams: streams.map((stream) => this.#followed(stream, states.get(stream.id))) };
  }

  async get(accountId: string, id: string): Promise<FollowedStream> {
    const stream = await this.#find(accountId, id);
    return this.#followed(stream, (await this.#store.states([id])).get(id));
  }

  async create(caller: Caller, body: NewStreamBody): Promise<StreamRecord> {
    const { accountId } = caller;
    const { kind, format, settings = {}, filter = {}, enabled = true, credentials = {} } = body;
    const url = this.#address(kind, body.url);
    check(kind, url, credentials, settings);
    const id = randomUUID();
    const createdAt = new Date(this.#rules.clock()).toISOString();
    const stream: Stream = {
      id,
      accountId,
      kind,
      url: url.href,
      format,
      settings,
      filter,
      ...trailOf(body.trail),
      enabled,
      createdAt,
      from: body.from === undefined ? createdAt : instantOf(body.from),
      sealedCredentials: this.#sealed(credentials, id),
      revision: 1,
    };
    const events = await this.#rules.recorded(streamAct('created', caller, stream));
    if (!(await this.#store.add(stream, MOST_STREAMS, events))) {
      throw new HttpRefusal(409, `an account has at most ${MOST_STREAMS} streams: remove one first`);
    }
    this.#rules.publish();
    this.#dispatcher.wake();
    return streamRecord(stream);
  }

  async change(caller: Caller, id: string, body: StreamChangeBody): Promise<StreamRecord> {
    const old = await this.#find(caller.accountId, id);
    const { settings = old.settings ?? {}, filter = old.filter, enabled = old.enabled, credentials } = body;
    const url = body.url === undefined ? new URL(old.url) : this.#address(old.kind, body.url);
    if (credentials === undefined && !isSameReceiver(url, new URL(old.url))) {
      throw new HttpRefusal(400, 'url names another host: send the credentials for it as well');
    }
    check(old.kind, url, credentials ?? this.#opened(old), settings);
    const sealedCredentials = credentials === undefined ? old.sealedCredentials : this.#sealed(credentials, id);
    const revision = old.revision + 1;
    const changed = { url: url.href, settings, filter, ...trailOf(body.trail), enabled };
    const stream = { ...old, ...changed, sealedCredentials, revision };
    const events = await this.#rules.recorded(streamAct('changed', caller, stream, old));
    if (!(await this.#store.replace(stream, events))) {
      throw new HttpRefusal(409, 'the stream was just changed by another: read it again');
    }
    this.#rules.publish();
    this.#dispatcher.wake();
    return streamRecord(stream);
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { accountId } = caller;
    const events = await this.#rules.recorded(streamAct('removed', caller, await this.#find(accountId, id)));
    if (!(await this.#store.remove(accountId, id, events))) throw unknown();
    this.#rules.publish();
    this.#dispatcher.wake();
  }

  /** Sends a test event in one attempt. The event of the attempt is durable before it is sent; another one has the result. */
  async test(
    caller: Caller,
    id: string,
  ): Promise<{ readonly delivered: boolean; readonly status: number | null; readonly error: string | null }> {
    const { accountId } = caller;
    const stream = await this.#find(accountId, id);
    const nowMs = this.#rules.clock();
    const waitMs = this.#tests.take(accountId, nowMs);
    if (waitMs > 0) {
      throw new HttpRefusal(429, `an account sends at most ${MOST_TESTS} test events a minute: try again later`, {
        'Retry-After': String(Math.ceil(waitMs / 1000)),
      });
    }
    await this.#record(streamTested(caller, stream, null));
    const sent = this.#send(stream, [testRecord(stream, nowMs)]);
    const { status, error } = await sent.catch(unsent(this.#rules.log, stream));
    const delivered = error === null;
    await this.#record(streamTested(caller, stream, { delivered, status }));
    return { delivered, status, error };
  }

  async #record(act: Act): Promise<void> {
    await this.#store.enqueue(await this.#rules.recorded(act));
    this.#rules.publish();
  }

  #followed(stream: Stream, stored: StreamState | undefined): FollowedStream {
    const state = this.#dispatcher.lagOf(stream.id) ?? stored;
    const since = state?.pendingSinceMs ?? null;
    const seconds = since === null ? 0 : Math.max(0, Math.floor((this.#rules.clock() - since) / 1000));
    return {
      ...streamRecord(stream),
      from: stream.from,
      lag: { events: state?.pending ?? 0, seconds },
      lastDeliveredAt: state?.lastDeliveredAt ?? null,
      lastError: state?.lastError ?? null,
    };
  }

  #address(kind: StreamKind, text: string): URL {
    const { allowedHosts } = this.#rules;
    const to = KINDS[kind];
    const read = 'address' in to ? to.address(text, allowedHosts) : readPublicUrl(text, allowedHosts, 'url');
    if ('problem' in read) throw new HttpRefusal(400, read.problem);
    return read.url;
  }

  #sealed(credentials: StreamCredentials, id: string): string {
    return seal(JSON.stringify(credentials), this.#rules.key, id);
  }

  #opened({ id, sealedCredentials }: Stream): StreamCredentials {
    try {
      return JSON.parse(unseal(sealedCredentials, this.#rules.key, id)) as StreamCredentials;
    } catch {
      throw new HttpRefusal(400, 'the credentials cannot be opened: send them again');
    }
  }

  async #find(accountId: string, id: string): Promise<Stream> {
    const found = await this.#store.find(accountId, id);
    if (found === null) throw unknown();
    return found;
  }
}

/** @throws HttpRefusal 400 */
function check(kind: StreamKind, url: URL, credentials: StreamCredentials, settings: StreamSettings): void {
  const to = KINDS[kind];
  const problem = otherSettings(settings, to) ?? to.problem(url, credentials, settings);
  if (problem !== null) throw new HttpRefusal(400, problem);
}

/** Not by `origin`, which is `null` for each address that is not of HTTP. */
function isSameReceiver(one: URL, other: URL): boolean {
  return one.protocol === other.protocol && one.host === other.host;
}

function trailOf(trail: boolean | undefined): Pick<Stream, 'trail'> {
  return trail === undefined ? {} : { trail };
}

function instantOf(text: string): string {
  const ms = parseTime(text);
  if (ms === null) throw new HttpRefusal(400, 'from must be a time that the calendar has');
  return new Date(ms).toISOString();
}

function unknown(): HttpRefusal {
  return new HttpRefusal(404, 'no such stream');
}
