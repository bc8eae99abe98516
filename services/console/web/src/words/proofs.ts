import { number } from './en.js';

/** Texts of the proofs of one agent. */
export const proofWords = {
  none: 'No event yet: its first one has the number 1.',
  stored: 'Stored',
  storedOf: (stored: number, of: number, first: number, last: number) =>
    `${number(stored)} of ${number(of)} events, ${number(first)} to ${number(last)}`,
  waiting: 'Not anchored yet',
  newestOnly: 'The newest 100,000 numbers are counted.',
  windows: 'Windows',
  windowsLead:
    'Each window is one transaction. Its Merkle root commits to all events with the numbers of the window; a number between two windows would be red.',
  failed: 'Windows could not be read',
  noWindows: 'No window is anchored yet.',
  noOlder: 'There are no older windows.',
  columns: {
    ended: 'Window ended',
    numbers: 'Numbers',
    root: 'Merkle root',
    transaction: 'Transaction',
    height: 'Block height',
    anchored: 'Anchored',
  },
  copyRoot: 'Copy root',
  copyTransaction: 'Copy signature',
  newest: 'Newest windows',
  older: 'Older windows',
} as const;
