import type { JsonValue } from '@countersign/contracts';
import type { Act } from '@countersign/topics';
import type { Destination } from '../domain/destination.js';
import { streamRecord, type Stream } from '../streams/stream.js';

type Person = { readonly accountId: string; readonly userId: string };
/** Of a test message: the status of the receiver's answer, `null` without one. */
type Tested = { readonly delivered: boolean; readonly status: number | null };

/** @param before its state before the change; `null`: of another kind of act */
export function destinationAct(
  what: 'created' | 'changed' | 'removed',
  who: Person,
  destination: Destination,
  before: Destination | null = null,
): Act {
  const content = { destination: ofDestination(destination), to: receiverOf(destination) };
  const earlier = before === null ? {} : { before: { ...ofDestination(before), to: receiverOf(before) } };
  return actBy(who, `account.alert_destination_${what}`, { ...content, ...earlier });
}

/** A message of the delivery log that is sent again. */
export function alertSentAgain(who: Person, destination: Destination, messageId: string): Act {
  const content = { destination: ofDestination(destination), to: receiverOf(destination), message: messageId };
  return actBy(who, 'account.alert_sent_again', content);
}

/**
 * @param isStored false: an address that is tested before it is stored
 * @param tested `null`: the attempt, before it is sent
 */
export function destinationTested(
  who: Person,
  destination: Destination,
  isStored: boolean,
  tested: Tested | null,
): Act {
  const about: JsonValue = isStored ? ofDestination(destination) : { kind: destination.kind };
  return testAct(who, 'account.alert_destination_tested', { destination: about, to: receiverOf(destination) }, tested);
}

/** @param before as of {@link destinationAct} */
export function streamAct(
  what: 'created' | 'changed' | 'removed',
  who: Person,
  stream: Stream,
  before: Stream | null = null,
): Act {
  const content = { stream: ofStream(stream), to: new URL(stream.url).host };
  if (before === null) return actBy(who, `account.stream_${what}`, content);
  return actBy(who, `account.stream_${what}`, {
    ...content,
    before: { ...ofStream(before), to: new URL(before.url).host },
    credentialsChanged: stream.sealedCredentials !== before.sealedCredentials,
  });
}

/** @param tested as of {@link destinationTested} */
export function streamTested(who: Person, stream: Stream, tested: Tested | null): Act {
  return testAct(who, 'account.stream_tested', { stream: ofStream(stream), to: new URL(stream.url).host }, tested);
}

function testAct(who: Person, type: Act['type'], content: Act['content'], tested: Tested | null): Act {
  if (tested === null) return actBy(who, type, content);
  const { delivered, status } = tested;
  return { ...actBy(who, type, { ...content, status }), outcome: delivered ? 'succeeded' : 'failed' };
}

function actBy({ accountId, userId }: Person, type: Act['type'], content: Act['content']): Act {
  return { accountId, type, by: { kind: 'user', id: userId }, content };
}

/** An e-mail address, or the host of a webhook: its path and query may hold a secret. */
function receiverOf({ kind, destination }: Destination): string {
  return kind === 'webhook' ? new URL(destination).host : destination;
}

function ofDestination({ id, kind, minSeverity, enabled }: Destination): { readonly [name: string]: JsonValue } {
  return { id, kind, minSeverity, enabled };
}

function ofStream(stream: Stream): { readonly [name: string]: JsonValue } {
  const { id, kind, format, settings, filter, trail, enabled } = streamRecord(stream);
  const all = { id, kind, format, filter: { ...filter }, trail, enabled };
  return Object.keys(settings).length === 0 ? all : { ...all, settings: { ...settings } };
}
