const TIMEOUT_MS = 15_000;

/** Sends a request; `null` where no answer arrives in time. The caller judges the status. */
export async function ask(url: string, init: RequestInit = {}): Promise<Response | null> {
  const ending = new AbortController();
  const timer = setTimeout(() => ending.abort(), TIMEOUT_MS);
  try {
    const answer = await fetch(url, { ...init, signal: ending.signal, credentials: 'omit', redirect: 'error' });
    // Whole, or not at all: the clock covers the body too.
    return new Response(await answer.arrayBuffer(), { status: answer.status });
  } catch {
    return null;
  } finally {
    clearTimeout(timer);
  }
}

/** The JSON of an answer; `undefined` where it is none. */
export async function jsonOf(answer: Response): Promise<unknown> {
  try {
    return (await answer.json()) as unknown;
  } catch {
    return undefined;
  }
}
