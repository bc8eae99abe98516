import { RE2JS } from 're2js';

/** Programs of the largest repetitions that RE2 accepts have some thousand instructions. */
const MAX_PATTERN = 512;

/**
 * Compiles a pattern of RE2 (https://github.com/google/re2/wiki/Syntax). @returns a function that reports whether a
 * text contains a match, in time linear in the text
 * @throws RangeError for an invalid pattern
 */
export function compilePattern(pattern: string): (text: string) => boolean {
  if (pattern.length > MAX_PATTERN) throw new RangeError(`has a pattern of more than ${MAX_PATTERN} characters`);
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern);
  } catch (error) {
    throw new RangeError(`has an invalid pattern: ${error instanceof Error ? error.message : 'RE2 refuses it'}`, {
      cause: error,
    });
  }
  return (text) => compiled.test(text);
}
