/** Texts of what was found and done about a refused check. */
export const followUpWords = {
  title: 'Follow-up',
  lead: 'What a person found and did about this refusal. Each note is an event of its own, with a proof, and reports count it.',
  none: 'No note yet.',
  by: 'by',
  add: 'Add note',
  note: 'Note',
  noteHint: 'What was found and done. It is content: it may be erased, and reports may withhold it.',
  erased: 'The note is erased.',
} as const;
