/**
 * Where a piece of personal data that begins at `at` ends, 0 when none begins there. Looks at a bounded number of
 * characters, so that a scan is linear in the text, whatever it holds. The text is one of `normalText`.
 */
export type PiiMatcher = (text: string, at: number) => number;

/** Where a scan asks a matcher: at the first character of a run of letters and digits, by its class, or at a sign. */
export type Beginning = 'digit' | 'hex letter' | 'other letter' | '+ or (' | ':' | '@';
