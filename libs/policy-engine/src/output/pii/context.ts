/** How far before a number the words may stand that say what it is. */
const CONTEXT_LENGTH = 48;

/** Words that say what a number is, alone or as part of a name with underscores, in any case. */
export function wordsOf(alternatives: string): RegExp {
  return new RegExp(`(?<![a-z])(?:${alternatives})(?![a-z])`, 'i');
}

/** Whether such words stand shortly before `at`. */
export function saidBefore(words: RegExp, text: string, at: number): boolean {
  return words.test(text.slice(Math.max(0, at - CONTEXT_LENGTH), at));
}
