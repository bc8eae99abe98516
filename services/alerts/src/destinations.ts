import { randomUUID } from 'node:crypto';
import { MOST_ATTEMPTS } from '@countersign/contracts';
import type {
  AlertConfigBody,
  AlertConfigRecord,
  AlertTestBody,
  DeliveryRecord,
  DestinationKind,
} from '@countersign/contracts';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import type { Carrier } from './deliver/carrier.js';
import { readPublicUrl, type ActRecorder } from '@countersign/service-kit';
import type { Act } from '@countersign/topics';
import { isEmailAddress } from '@countersign/service-kit/mail';
import { seal } from '@countersign/process';
import { alertConfigRecord, changed, MAX_DESTINATIONS, type Destination } from './domain/destination.js';
import { deliveryRecord, sentAgain, type Message } from './domain/message.js';
import { mintSecret } from './secrets/webhook-secret.js';
import { MOST_TESTS, TestAllowance } from './domain/test-allowance.js';
import type { AlertStore } from './store/port.js';
import { alertSentAgain, destinationAct, destinationTested } from './trail/acts.js';

export interface DestinationRules {
  /** Key that seals the secrets, 32 bytes. */
  readonly key: Uint8Array;
  /** `host:port` each. */
  readonly allowedHosts: readonly string[];
  readonly canMail: boolean;
  readonly clock: () => number;
  readonly recorded: ActRecorder;
  /** Appends the events of the outbox to the log; a failure is repeated. */
  readonly publish: () => void;
}

type Caller = Pick<SessionCaller, 'accountId' | 'userId'>;

export interface Put {
  readonly made: boolean;
  readonly record: AlertConfigRecord & { readonly secret?: string };
}

export interface TestResult {
  readonly delivered: boolean;
  readonly status: number | null;
}

export interface DeliveriesPage {
  readonly deliveries: readonly DeliveryRecord[];
  readonly total: number;
  readonly limit: number;
  readonly offset: number;
}

/** Severity and state of a destination that names none. */
const NEW = { minSeverity: 'P3', enabled: true } as const;

/** The destinations of accounts, for the routes. Every method throws `HttpRefusal`. */
export class Destinations {
  readonly #store: AlertStore;
  readonly #carrier: Carrier;
  readonly #rules: DestinationRules;
  readonly #tests = new TestAllowance();

  constructor(store: AlertStore, carrier: Carrier, rules: DestinationRules) {
    this.#store = store;
    this.#carrier = carrier;
    this.#rules = rules;
  }

  async list(accountId: string): Promise<{ readonly alertConfigs: readonly AlertConfigRecord[] }> {
    return { alertConfigs: (await this.#store.destinations(accountId)).map(alertConfigRecord) };
  }

  put(caller: Caller, body: AlertConfigBody): Promise<Put> {
    return body.id === undefined ? this.#make(caller, body) : this.#change(caller, body.id.toLowerCase(), body);
  }

  async remove(caller: Caller, id: string): Promise<void> {
    const { accountId } = caller;
    const events = await this.#rules.recorded(destinationAct('removed', caller, await this.#find(accountId, id)));
    if (!(await this.#store.removeDestination(accountId, id, events))) throw unknown();
    this.#rules.publish();
  }

  /**
   * Sends a test message in one attempt, which the delivery log does not show. The event of the attempt is durable before
   * it is sent; another one has the result.
   */
  async test(caller: Caller, id: string): Promise<TestResult> {
    return this.#try(caller, await this.#find(caller.accountId, id), true);
  }

  /** As `test`, to an address that is not stored; the message of a webhook is signed with a secret that is not kept. */
  async testNew(caller: Caller, { kind, destination: where }: AlertTestBody): Promise<TestResult> {
    return this.#try(caller, this.#made(caller.accountId, kind, this.#checked(kind, where), NEW).destination, false);
  }

  /**
   * A message of the log is due again now, and its delays begin again. It counts as a test message.
   * @throws HttpRefusal 409 for a message from before the last change of the address: the receiver of now was not meant
   */
  async sendAgain(caller: Caller, id: string, messageId: string): Promise<DeliveryRecord> {
    const destination = await this.#find(caller.accountId, id);
    const { enabled, addressChangedAtMs = 0 } = destination;
    if (!enabled) throw new HttpRefusal(409, 'the destination is turned off: turn it on first');
    const nowMs = this.#rules.clock();
    this.#allow(caller.accountId, nowMs);
    const events = await this.#rules.recorded(alertSentAgain(caller, destination, messageId));
    const again = (message: Message): Message => {
      if (message.createdAtMs <= addressChangedAtMs) {
        throw new HttpRefusal(
          409,
          'the message is from before the last change of the address: it is not sent to another one',
        );
      }
      if (message.attempts.length < MOST_ATTEMPTS) return sentAgain(message, nowMs);
      throw new HttpRefusal(409, `the message has had ${MOST_ATTEMPTS} attempts, the most there are`);
    };
    const changed = await this.#store.changeMessage(id, messageId, again, events);
    if (changed === null) throw new HttpRefusal(404, 'the destination has no such message');
    if (changed === 'claimed') throw new HttpRefusal(409, 'the message is being sent at this moment');
    this.#rules.publish();
    return deliveryRecord(changed);
  }

  async deliveries(accountId: string, id: string, limit: number, offset: number): Promise<DeliveriesPage> {
    await this.#find(accountId, id);
    const { messages, total } = await this.#store.deliveries(id, limit, offset);
    return { deliveries: messages.map(deliveryRecord), total, limit, offset };
  }

  async #make(caller: Caller, body: AlertConfigBody): Promise<Put> {
    const { accountId } = caller;
    const { kind, destination: where } = body;
    if (kind === undefined) throw new HttpRefusal(400, 'kind is required for a new destination');
    if (where === undefined) throw new HttpRefusal(400, 'destination is required for a new destination');
    const destination = this.#checked(kind, where);
    if ((await this.#store.destinations(accountId)).length >= MAX_DESTINATIONS) {
      throw new HttpRefusal(409, `an account has at most ${MAX_DESTINATIONS} destinations: remove one first`);
    }
    const { destination: made, secret } = this.#made(accountId, kind, destination, { ...NEW, ...body });
    await this.#store.addDestination(made, await this.#rules.recorded(destinationAct('created', caller, made)));
    this.#rules.publish();
    return { made: true, record: { ...alertConfigRecord(made), ...(secret === null ? {} : { secret }) } };
  }

  #made(
    accountId: string,
    kind: DestinationKind,
    destination: string,
    { minSeverity, enabled }: Pick<Destination, 'minSeverity' | 'enabled'>,
  ): { readonly destination: Destination; readonly secret: string | null } {
    const id = randomUUID();
    const secret = kind === 'webhook' ? mintSecret() : null;
    const made = {
      id,
      accountId,
      kind,
      destination,
      minSeverity,
      enabled,
      createdAt: new Date(this.#rules.clock()).toISOString(),
      disabledAt: null,
      disabledReason: null,
      sealedSecret: secret === null ? null : seal(secret, this.#rules.key, id),
      revision: 1,
    };
    return { destination: made, secret };
  }

  /** @throws HttpRefusal 429 */
  #allow(accountId: string, nowMs: number): void {
    const waitMs = this.#tests.take(accountId, nowMs);
    if (waitMs === 0) return;
    const most = `an account sends at most ${MOST_TESTS} messages a minute as a test or again: try again later`;
    throw new HttpRefusal(429, most, { 'Retry-After': String(Math.ceil(waitMs / 1000)) });
  }

  async #try(caller: Caller, destination: Destination, isStored: boolean): Promise<TestResult> {
    this.#allow(destination.accountId, this.#rules.clock());
    const data = {
      eventId: null,
      agentId: null,
      severity: destination.minSeverity,
      violation_type: null,
      reason: 'This is a test message: nothing was blocked.',
      count: 0,
    };
    await this.#record(destinationTested(caller, destination, isStored, null));
    const body = JSON.stringify({ type: 'alert.test', timestamp: new Date(this.#rules.clock()).toISOString(), data });
    const { status, error } = await this.#carrier.carry(destination, `msg_${randomUUID().replaceAll('-', '')}`, body);
    const tested = { delivered: error === null, status };
    await this.#record(destinationTested(caller, destination, isStored, tested));
    return tested;
  }

  async #record(act: Act): Promise<void> {
    await this.#store.enqueue(await this.#rules.recorded(act));
    this.#rules.publish();
  }

  async #change(caller: Caller, id: string, body: AlertConfigBody): Promise<Put> {
    const old = await this.#find(caller.accountId, id);
    if (body.kind !== undefined && body.kind !== old.kind) {
      throw new HttpRefusal(400, 'kind cannot be changed: make another destination');
    }
    const where = body.destination === undefined ? {} : { destination: this.#checked(old.kind, body.destination) };
    const next = changed(old, { ...body, ...where }, this.#rules.clock());
    const events = await this.#rules.recorded(destinationAct('changed', caller, next, old));
    if (!(await this.#store.replaceDestination(next, events))) {
      throw new HttpRefusal(409, 'the destination was just changed by another: read it again');
    }
    this.#rules.publish();
    return { made: false, record: alertConfigRecord(next) };
  }

  #checked(kind: DestinationKind, where: string): string {
    if (kind === 'webhook') {
      const read = readPublicUrl(where, this.#rules.allowedHosts);
      if ('problem' in read) throw new HttpRefusal(400, read.problem);
      return read.url.href;
    }
    if (!this.#rules.canMail) throw new HttpRefusal(400, 'e-mail needs SMTP_URL, which the operator has not set');
    if (!isEmailAddress(where)) throw new HttpRefusal(400, 'destination must be an e-mail address');
    return where;
  }

  async #find(accountId: string, id: string): Promise<Destination> {
    const found = await this.#store.destinationOf(accountId, id);
    if (found === null) throw unknown();
    return found;
  }
}

function unknown(): HttpRefusal {
  return new HttpRefusal(404, 'no such destination');
}
