import { receiveMessageOnPort } from 'node:worker_threads';
import type { MessagePort } from 'node:worker_threads';
import { Housekeeping } from './housekeeping.js';
import type { DiskSpace } from './disk-space.js';
import { LogDamaged } from '../port.js';
import type { LogFile } from './log-file.js';
import { Memberships } from './memberships.js';
import type { AppendAnswer, AppendRequest, FromWriter, ToWriter } from './protocol.js';

/** Minimum time between two notices of new ends, ms. */
const NOTICE_MS = 3;
/** Idle time before compaction begins, ms. */
const IDLE_MS = 20;
/** Interval of compaction steps under continuous load, ms. */
const BUSY_STEP_MS = 200;
const STEP_BUDGET_MS = 2;
/** Interval of the checks whether a full disk has room again, ms. */
const RECOVER_EVERY_MS = 1000;
/** A commit takes no more than about this many characters of values. */
const COMMIT_CHARACTERS = 8 * 1024 * 1024;

interface Client {
  readonly port: MessagePort;
  /** Followed topics, with their last notified end. */
  readonly notified: Map<number, number>;
}
interface Member {
  readonly client: Client;
  readonly id: number;
}

/** Takes what arrived from all clients, commits once, answers all; runs housekeeping when nothing arrives. */
export class WriterLoop {
  #log: LogFile;
  #housekeeping: Housekeeping;
  readonly #openAgain: () => LogFile;
  readonly #space: Pick<DiskSpace, 'shortage'>;
  #recovering: NodeJS.Timeout | null = null;
  /** Why nothing is written although nothing has failed. */
  #shortage: string | null = null;
  readonly #clients = new Set<Client>();
  readonly #memberships = new Memberships<Member>();
  #inbox: { client: Client; request: AppendRequest }[] = [];
  #inboxCharacters = 0;
  #noticedAt = 0;
  #notice: NodeJS.Timeout | null = null;
  #idle: NodeJS.Timeout | null = null;
  /** Retention deleted records that the write-ahead log may still contain. */
  #unscrubbed = false;
  #steppedAt = 0;
  #reportedLatch: string | null = null;
  #closed = false;

  /** @param openAgain opens and checks the file again, after a failure for want of room */
  constructor(log: LogFile, openAgain: () => LogFile, space: Pick<DiskSpace, 'shortage'>) {
    this.#log = log;
    this.#openAgain = openAgain;
    this.#space = space;
    this.#housekeeping = new Housekeeping(log);
    this.#keepHouseWhenIdle();
  }

  connect(port: MessagePort): void {
    const client: Client = { port, notified: new Map() };
    this.#clients.add(client);
    port.on('message', (message: ToWriter) => {
      this.#take(client, message);
      this.#drain();
      this.#commit();
    });
    port.on('close', () => this.#forget(client));
    const reason = this.#refusing();
    if (reason !== null) this.#send(client, { kind: 'latched', reason });
  }

  /** Keeps the write-ahead log short: after commits, and when the checkpoint thread reports. */
  checkpoint(): void {
    if (this.#closed) return;
    this.#log.checkpointIfDue();
    this.#sendLatch();
  }

  /** Commits what has arrived, closes file and ports. Returns the problem, or `null`. */
  close(): string | null {
    do {
      this.#commit();
      this.#drain();
    } while (this.#inbox.length > 0);
    this.#closed = true;
    if (this.#notice !== null) clearTimeout(this.#notice);
    if (this.#idle !== null) clearTimeout(this.#idle);
    if (this.#recovering !== null) clearTimeout(this.#recovering);
    const problem = this.#log.close();
    for (const client of this.#clients) {
      this.#send(client, { kind: 'closed' });
      client.port.close();
    }
    return problem;
  }

  #take(client: Client, message: ToWriter): void {
    switch (message.kind) {
      case 'append':
        this.#inbox.push({ client, request: message });
        for (const value of message.values) this.#inboxCharacters += value.length;
        return;
      case 'watch':
        client.notified.set(message.topic, -1);
        return this.#notifyEnds(client);
      case 'join': {
        const mine = this.#memberships.join(message.partition, { client, id: message.member });
        return this.#send(client, { kind: mine ? 'assigned' : 'waiting', member: message.member });
      }
      case 'leave':
        return this.#leave((member) => member.client === client && member.id === message.member);
      case 'connect':
        return this.connect(message.port);
      case 'maintain':
        return this.#maintain(client, message.sequence, message.nowMs);
      case 'bye':
        return client.port.close();
    }
  }

  /** Collects what is already in the ports, so that one commit serves all of it. */
  #drain(): void {
    for (const client of this.#clients) {
      while (this.#inboxCharacters < COMMIT_CHARACTERS) {
        const next = receiveMessageOnPort(client.port) as { message: ToWriter } | undefined;
        if (next === undefined) break;
        this.#take(client, next.message);
      }
    }
  }

  #commit(): void {
    const inbox = this.#inbox;
    if (inbox.length === 0) return;
    this.#inbox = [];
    this.#inboxCharacters = 0;
    const requests = inbox.map(({ request }) => request);
    this.#shortage = this.#space.shortage();
    const answers =
      this.#shortage === null
        ? this.#log.append(requests, Date.now())
        : refusedForLackOfSpace(requests, this.#shortage);
    const byClient = new Map<Client, AppendAnswer[]>();
    inbox.forEach(({ client, request }, index) => {
      const answer = answers[index];
      if (answer === undefined) return;
      const own = byClient.get(client);
      if (own === undefined) byClient.set(client, [answer]);
      else own.push(answer);
      if ('first' in answer) this.#noteKeys(request);
    });
    for (const [client, own] of byClient) this.#send(client, { kind: 'answers', answers: own });
    this.#noticeSoon();
    this.checkpoint();
    this.#keepHouseWhenIdle();
    const now = performance.now();
    if (now - this.#steppedAt > BUSY_STEP_MS) {
      this.#steppedAt = now;
      this.#housekeeping.compactStep(STEP_BUDGET_MS);
    }
  }

  #noteKeys({ topics, keys }: AppendRequest): void {
    if (typeof topics === 'number' && !this.#housekeeping.compacts(topics)) return;
    keys.forEach((key, index) => {
      this.#housekeeping.noteAppended(typeof topics === 'number' ? topics : (topics[index] ?? -1), key);
    });
  }

  #noticeSoon(): void {
    if (this.#notice !== null || this.#closed) return;
    const wait = this.#noticedAt + NOTICE_MS - performance.now();
    if (wait <= 0) return this.#noticeEnds();
    this.#notice = setTimeout(() => this.#noticeEnds(), wait);
  }

  #noticeEnds(): void {
    this.#notice = null;
    this.#noticedAt = performance.now();
    for (const client of this.#clients) this.#notifyEnds(client);
  }

  /** A client that follows only unchanged topics is not notified. */
  #notifyEnds(client: Client): void {
    const { ends } = this.#log;
    let moved = false;
    for (const [topic, end] of client.notified) {
      if (end === ends[topic]) continue;
      client.notified.set(topic, ends[topic] ?? 0);
      moved = true;
    }
    if (moved) this.#send(client, { kind: 'ends', ends });
  }

  #keepHouseWhenIdle(): void {
    if (this.#idle !== null) return void this.#idle.refresh();
    this.#idle = setTimeout(() => this.#keepHouse(), IDLE_MS);
  }

  #keepHouse(): void {
    const more = !this.#closed && this.#housekeeping.compactStep(STEP_BUDGET_MS);
    this.checkpoint();
    if (more) this.#idle?.refresh();
  }

  /** Runs retention and compaction to their end, one step per event-loop tick. */
  #maintain(client: Client, sequence: number, nowMs: number): void {
    const step = () => {
      if (this.#closed) return;
      const retained = this.#housekeeping.retainStep(nowMs);
      this.#unscrubbed ||= retained;
      if (retained || this.#housekeeping.compactStep(STEP_BUDGET_MS)) {
        this.#log.checkpointIfDue();
        setImmediate(step);
        return;
      }
      if (this.#unscrubbed) this.#unscrubbed = !this.#log.emptyWriteAheadLog();
      this.checkpoint();
      this.#send(client, { kind: 'maintained', sequence, problem: this.#log.latched });
    };
    setImmediate(step);
  }

  #leave(gone: (member: Member) => boolean): void {
    for (const { client, id } of this.#memberships.leave(gone)) {
      this.#send(client, { kind: 'assigned', member: id });
    }
  }

  #forget(client: Client): void {
    if (!this.#clients.delete(client) || this.#closed) return;
    this.#leave((member) => member.client === client);
  }

  #refusing(): string | null {
    return this.#log.latched ?? this.#shortage;
  }

  #sendLatch(): void {
    const reason = this.#refusing();
    if (reason === this.#reportedLatch) return;
    this.#reportedLatch = reason;
    for (const client of this.#clients) {
      this.#send(client, reason === null ? { kind: 'recovered' } : { kind: 'latched', reason });
    }
    if (reason !== null && (this.#log.latched === null || this.#log.full)) this.#recoverSoon();
  }

  #recoverSoon(): void {
    if (this.#closed || this.#recovering !== null) return;
    this.#recovering = setTimeout(() => {
      this.#recovering = null;
      this.#recover();
    }, RECOVER_EVERY_MS);
  }

  /**
   * Continues once a full disk has room. Nothing is retried on a failed connection: the file is closed without another
   * sync, opened, and checked page by page, as after a restart.
   */
  #recover(): void {
    if (this.#closed) return;
    this.#shortage = this.#space.shortage();
    let again = this.#shortage !== null;
    if (!again && this.#log.latched !== null) {
      this.#log.close();
      try {
        this.#log = this.#openAgain();
        this.#housekeeping = new Housekeeping(this.#log);
        this.#noticeEnds();
        this.#keepHouseWhenIdle();
      } catch (error) {
        again = !(error instanceof LogDamaged);
      }
    }
    if (again) this.#recoverSoon();
    this.#sendLatch();
  }

  #send(client: Client, message: FromWriter): void {
    client.port.postMessage(message);
  }
}

function refusedForLackOfSpace(requests: readonly AppendRequest[], reason: string): AppendAnswer[] {
  return requests.map(({ sequence }) => ({ sequence, outcome: 'refused', reason }));
}
