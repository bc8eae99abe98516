import type { LiveMessages } from '@countersign/contracts';

/** One message of the feed, by its name. */
export type LiveMessage = {
  [K in keyof LiveMessages]: { readonly name: K; readonly data: LiveMessages[K]; readonly id: string | null };
}[keyof LiveMessages];

/**
 * Reads `text/event-stream` piece by piece.
 * @param take receives each message once it is whole; comments and what is not JSON are left out
 * @returns takes the next piece of the text
 */
export function messageReader(take: (message: LiveMessage) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const parts = (rest + text).split('\n\n');
    rest = parts.pop() ?? '';
    for (const part of parts) {
      const fields: Partial<Record<string, string>> = {};
      for (const line of part.split('\n')) {
        const mark = line.indexOf(': ');
        if (mark > 0) fields[line.slice(0, mark)] = line.slice(mark + 2);
      }
      const { id = null, event, data } = fields;
      if (event === undefined || data === undefined) continue;
      try {
        take({ id, name: event, data: JSON.parse(data) as unknown } as LiveMessage);
      } catch {
        // A message that this page cannot read is none; the list is read again with the next one that it can.
      }
    }
  };
}
