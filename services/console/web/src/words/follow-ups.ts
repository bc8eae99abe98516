import { number } from './en.js';

/** Texts of what was found and done about refused checks. */
export const followUpWords = {
  title: 'Follow-up',
  lead: 'What a person found and did about this refusal. Each note is an event of its own, with a proof, and reports count it.',
  none: 'No note yet.',
  by: 'by',
  add: 'Add note',
  note: 'Note',
  noteHint: 'What was found and done. It is content: it may be erased, and reports may withhold it.',
  erased: 'The note is erased.',
  list: {
    title: 'Refused checks',
    table: 'Refused checks, newest first',
    failed: 'Refused checks could not be read',
    lead: (most: number) =>
      `One note can be about up to ${number(most)} checks: each gets it as an event of its own. The inbox stays as it is.`,
    empty: 'No refused checks',
    emptyLead: 'No refused check matches these filters.',
    notFound: 'None among the events that were looked through. Older ones may match.',
    all: 'Show all refused checks',
    of: 'Only those of',
    columns: {
      select: 'Select',
      time: 'Time',
      agent: 'Agent',
      outcome: 'Outcome',
      rule: 'Rule',
      reason: 'Reason',
      state: 'Follow-up',
      open: 'Open',
    },
    select: (agent: string, at: string) => `Select the check of ${agent} at ${at}`,
    selectAll: (shown: number, most: number) =>
      shown > most
        ? `Select the newest ${number(most)} of ${number(shown)} shown`
        : `Select all ${number(shown)} shown`,
    selectOpen: 'Select those without a follow-up',
    selected: (count: number, most: number) =>
      `${number(count)} selected${count >= most ? ': no more fit into one request' : ''}`,
    act: 'Follow up',
    actTitle: (count: number) => `Follow up ${number(count)} ${count === 1 ? 'check' : 'checks'}`,
    done: (count: number) => `${number(count)} ${count === 1 ? 'check is' : 'checks are'} followed up.`,
    not: 'not followed up',
    notes: (count: number) => `${number(count)} ${count === 1 ? 'note' : 'notes'}`,
    link: 'Refused checks',
  },
} as const;
