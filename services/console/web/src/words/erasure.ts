import { number } from './en.js';

/** Texts of the erasure of an event's content. */
export const erasureWords = {
  erase: 'Erase content…',
  title: 'Erase the content of this event',
  lead: 'Its action and payload are gone for good. The leaf, its number and its proofs remain, and the erasure is an event of its own.',
  none: 'No stored report shows this content.',
  withdraws: (count: number) =>
    count === 1
      ? 'One stored report shows this content and is withdrawn:'
      : `${number(count)} stored reports show this content and are withdrawn:`,
  more: (count: number) => `and ${number(count)} more`,
  failed: 'Which reports are withdrawn could not be read',
  reason: 'Reason',
  reasonHint: 'Such as the number of a request. It is recorded and shown for as long as the log: name no person.',
  action: 'Erase',
} as const;
