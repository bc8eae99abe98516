/** Returns the values of one header as received, in order; `name` in lower case. */
export function headerValues(rawHeaders: readonly string[], name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const header = rawHeaders[i]!;
    if (header.length === name.length && header.toLowerCase() === name) values.push(rawHeaders[i + 1]!);
  }
  return values;
}

function bearer(rawHeaders: readonly string[]): string | null {
  const values = headerValues(rawHeaders, 'authorization');
  if (values.length !== 1) return null;
  const match = /^Bearer +([\x21-\x7e]+)$/i.exec(values[0]!);
  return match?.[1] ?? null;
}

/**
 * Returns the API key of a request: that of `x-service-key` if it is sent, else of `Authorization: Bearer`.
 * `null`: none, a header sent twice, or another scheme.
 * @param rawHeaders alternating names and values, as in `IncomingMessage.rawHeaders`
 */
export function readApiKeyHeaders(rawHeaders: readonly string[]): string | null {
  const keys = headerValues(rawHeaders, 'x-service-key');
  if (keys.length === 0) return bearer(rawHeaders);
  return keys.length === 1 ? keys[0]! : null;
}

/** Returns the session token of a request: `Authorization: Bearer`, sent once; else `null`. */
export function readSessionHeader(rawHeaders: readonly string[]): string | null {
  return bearer(rawHeaders);
}
