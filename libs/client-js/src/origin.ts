import { kindOf } from './check-options.js';
import type { CallOptions } from './options.js';

type Origin = Pick<CallOptions, 'session' | 'principal' | 'traceparent'>;

const HEADERS = {
  session: 'x-countersign-session',
  principal: 'x-countersign-principal',
  traceparent: 'traceparent',
} as const satisfies Readonly<Record<keyof Origin, string>>;

/** The text that the service takes in these headers. */
const HEADER_TEXT = /^(?=.{1,200}$)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/u;

/**
 * The headers that name session, principal and trace of a check.
 * @throws TypeError if one is no text that a header can have
 */
export function originHeaders(origin: Origin): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (const member of ['session', 'principal', 'traceparent'] as const) {
    const value: unknown = origin[member];
    if (value === undefined) continue;
    if (typeof value !== 'string' || !HEADER_TEXT.test(value)) {
      const elsewhere = member === 'traceparent' ? '' : `; other text goes into metadata.${member} of the action`;
      throw new TypeError(
        `${member}: 1 to 200 visible ASCII characters, with blanks inside, not ${kindOf(value)}${elsewhere}`,
      );
    }
    headers[HEADERS[member]] = value;
  }
  return headers;
}
