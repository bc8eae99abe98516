/** Maximum distance before a number of words that identify it. */
const CONTEXT_LENGTH = 48;

/** Words that identify a number, alone or as part of a name with underscores, in any case. */
export function wordsOf(alternatives: string): RegExp {
  return new RegExp(`(?<![a-z])(?:${alternatives})(?![a-z])`, 'i');
}

/** Reports whether such words end shortly before `at`. */
export function saidBefore(words: RegExp, text: string, at: number): boolean {
  return words.test(text.slice(Math.max(0, at - CONTEXT_LENGTH), at));
}
