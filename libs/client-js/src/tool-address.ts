/** An address as the URL standard finds its scheme: after blanks and controls, with line breaks and tabs anywhere in it. */
const ADDRESS = new RegExp(
  `^[\\0- ]*(?:${['https', 'http', 'wss', 'ws', 'ftp'].map((scheme) => `${[...scheme].join('[\\t\\n\\r]*')}[\\t\\n\\r]*:`).join('|')})`,
  'i',
);
/** The service reads no longer one. */
const LONGEST = 65_536;

/** What the arguments of a tool call say of its address; neither member where they name none. */
export interface ToolAddress {
  /** The member `url` of the action. */
  readonly url?: string;
  /** Why the call cannot be judged, in words for a model. */
  readonly refused?: string;
}

/**
 * The address in the arguments of a tool call: a text under the name `url`, in any letter case and at any depth, and any
 * other text or name that begins with `http:`, `https:`, `ws:`, `wss:` or `ftp:`. One address that is named several times
 * is one. Of several the `url` is words, which no rule about APIs can read: where the profile has such rules the call is
 * denied, elsewhere it is not hindered.
 * @param input a JSON value
 * @returns `refused` where a member `url` is neither a text nor `null`
 */
export function toolAddress(input: unknown): ToolAddress {
  const found = new Set<string>();
  const left: (readonly [path: string, value: unknown])[] = [['', input]];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const [path, value] = next;
    if (typeof value === 'string' && ADDRESS.test(value)) found.add(value);
    if (typeof value !== 'object' || value === null) continue;
    for (const [name, member] of Object.entries(value)) {
      const place = path === '' ? name : `${path}.${name}`;
      if (!Array.isArray(value)) {
        if (ADDRESS.test(name)) found.add(name);
        if (name.toLowerCase() === 'url' && member !== null) {
          if (typeof member !== 'string') return { refused: notText(place, member) };
          if (member !== '') found.add(member);
          continue;
        }
      }
      left.push([place, member]);
    }
  }
  const [url] = found;
  if (url === undefined) return {};
  if (found.size > 1) return { url: `${found.size}${SEVERAL}` };
  return { url: url.length > LONGEST ? `an address of more than ${LONGEST} characters` : url };
}

const SEVERAL = ' addresses in one call';

/** What a model does about a call that was denied for its several addresses; `''` for any other. */
export function severalAddressesHint(url: unknown): string {
  return typeof url === 'string' && url.endsWith(SEVERAL) ? ` It names ${url}: make a call for each.` : '';
}

function notText(place: string, value: unknown): string {
  const kind = Array.isArray(value) ? 'a list' : typeof value === 'object' ? 'an object' : `a ${typeof value}`;
  const shown = place.length > 100 ? `…${place.slice(-100)}` : place;
  return `the argument ${shown} is ${kind}, and an address is judged as text: give one address as text`;
}
