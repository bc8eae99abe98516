/**
 * End of the personal data that begins at `at`, 0 for none. Reads a bounded number of characters, so that a scan is
 * linear in the text, whatever it contains. The text is one of `normalText`.
 */
export type PiiMatcher = (text: string, at: number) => number;

/**
 * Positions at which a scan calls a matcher: at the first character of a run of letters and digits, by its class, or at
 * a sign.
 */
export type Beginning = 'digit' | 'hex letter' | 'other letter' | '+ or (' | ':' | '@';
