import type { ReactNode } from 'react';
import type { ScreenProps } from '../screen-props.js';
import { Deliveries } from './deliveries.js';
import { Destinations } from './destinations.js';
import { Inbox } from './inbox.js';
import { RefusedChecks } from './refused-checks.js';

const DESTINATION = /^\/destinations\/([\w-]{1,64})$/;

/** `/alerts`: the inbox; `/alerts/refused`: refused checks and their follow-ups; `/alerts/destinations`: who gets messages; below it the messages to one destination. */
export function Alerts({ session: { user }, rest, query }: ScreenProps): ReactNode {
  const id = DESTINATION.exec(rest)?.[1];
  if (id !== undefined) return <Deliveries id={id} role={user.role} />;
  if (rest === '/refused') return <RefusedChecks key={query.toString()} role={user.role} query={query} />;
  return rest === '/destinations' ? <Destinations role={user.role} /> : <Inbox role={user.role} />;
}
