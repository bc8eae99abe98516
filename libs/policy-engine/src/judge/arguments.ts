import { readAsItStands, readUrl } from '../urls/read-url.js';
import type { ReadUrl } from '../urls/read-url.js';
import { writtenAddress } from '../urls/written-address.js';
import { fold, MEMBERS } from './members.js';
import type { UnreadMember } from './members.js';

/** An address in the arguments of a tool call. */
export interface FoundAddress {
  /** As received; `null`: the value is not text, under a name that denotes an address. */
  readonly given: string | null;
  /** Without its wrapping. */
  readonly address: string;
  /** The argument's name denotes an address: `url`, `callback_uri`, `href`, … */
  readonly named: boolean;
  /** It is an item of a list under `url`, `uri` or `href`, which tools join in their own ways. */
  readonly isPiece: boolean;
  /**
   * Names and indexes from the outside to it, in a form that can be shown, separated by dots; '': the payload itself.
   */
  readonly path: string;
  /** It is itself the name of a member of `path`. */
  readonly isName: boolean;
  /** Set once it has been read. */
  read?: ReadUrl | string;
}

const NONE: readonly FoundAddress[] = [];
/** Bound of the cost of all addresses of one call. Judging all of a hostile call of 1 MiB would delay other checks. */
const MOST_COST = 524_288;
/** Cost of one that a pattern alone recognizes; most others take a parser. */
const PLAIN_COST = 32;
const PARSED_COST = 128;
/** Schemes that no client requests over HTTP. */
const ELSEWHERE = /^(?:data|mailto|tel|sms|javascript|blob|urn|about|cid):/i;

/**
 * The addresses in the arguments of a tool call, in no order: values under a name that denotes an address, and any
 * other text or name of a member that begins with one ({@link writtenAddress}). Arguments that are JSON text are
 * parsed. A value under `url`, `uri` or `href` that is neither text nor `null` is found too, since tools read it in
 * unknown ways; of a list each item counts.
 * @param others members of the action that no rule reads: `arguments`, `input` and the like hold arguments too
 * @param hasUrl the action names its `url`: members that could be meant as it are further addresses
 * @param isTool every other object and JSON text counts as well, since callers of tools write them in many shapes
 */
export function addressesIn(
  payload: unknown,
  others: readonly UnreadMember[],
  isTool: boolean,
  hasUrl: boolean,
): readonly FoundAddress[] {
  const search = new Search();
  search.enter(payload, '', null, 'arguments');
  for (const { name, folded, value } of others) {
    if (folded === 'payload' || HOLDS_ARGUMENTS.test(folded)) search.enter(value, '', name, 'arguments');
    else if (isTool && name !== 'subject')
      search.enterMember(name, name === 'resource' ? heldByResource(value) : value, hasUrl);
  }
  for (let next = search.waiting.pop(); next !== undefined; next = search.waiting.pop()) search.read(next);
  return search.found ?? NONE;
}

/** The URL of an address, or the reason why it cannot be judged, as {@link readUrl}. */
export function readFound(found: FoundAddress): ReadUrl | string {
  return (found.read ??= found.given === null ? NOT_TEXT : readUrl(found.address));
}

const TOO_MANY = 'stands behind more addresses than are judged at once: send fewer addresses in one call';
const TOO_DEEP =
  'stands in JSON text within JSON text, again and again, or behind many texts that begin as JSON and are none';
const NOT_TEXT = 'is not a text, and tools read other values in ways of their own';

/**
 * The part of an address that is searched for a blocked entry. In an argument that does not denote an address it ends
 * with its line, and of `https://a.example is down` it is the first word: no client accepts a host with a blank in it.
 */
export function followedOf({ named, address }: FoundAddress): string {
  if (named) return address;
  const [line] = /^[^\r\n]*/.exec(address)!;
  return HOST_AND_WORDS.exec(line)?.[1] ?? line;
}

/** Reports whether further lines follow that are not part of {@link followedOf}. */
export function hasMoreLines({ named, address }: FoundAddress): boolean {
  return !named && /[\r\n]/.test(address);
}

/** No `@` and no backslash, after which another host could follow. */
const HOST_AND_WORDS = /^(https?:\/\/[^\s/?#\\@]+) [^/?#\\@]*(?:[/?#]|$)/i;

/** Reports whether it is more than an address: words after one, in an argument that does not denote an address. */
export function isProse({ named, address }: FoundAddress): boolean {
  return !named && WORDS.test(address);
}

/** A blank before the query, followed by anything. */
const WORDS = /^[^?# ]* +[^ ]/;

/** Location of an address, in words. */
export function locationOf({ path, isName }: FoundAddress): string {
  const shown = path.length > MOST_SHOWN ? `…${path.slice(-MOST_SHOWN)}` : path;
  const location = path === '' ? 'payload' : `the argument ${shown}`;
  return isName ? `the name of a member of ${location}` : location;
}

const MOST_SHOWN = 80;
/** Allowed names of a tool's parameters: other characters, and more digits, could be content of the action. */
const PARAMETER = /^[A-Za-z_][A-Za-z_-]{0,30}\d{0,3}$/;

/** Meaning of the value of an argument, by its name. */
type Meaning = 'address' | 'piece' | 'perhaps-address' | 'arguments' | 'none';

/** Members that hold the arguments of a call, as JSON text where models wrote them. */
const HOLDS_ARGUMENTS = /^(?:tool|function|call)?(?:arguments?|args|kwargs|inputs?|params|parameters)$/;
/** JSON text within JSON text. Models write it once or twice. */
const MOST_ROUNDS = 3;
const IS_ADDRESS = new Set(['url', 'uri', 'href', 'urls', 'uris', 'hrefs']);
const ENDS_AS_ADDRESS = /(?:ur[li]|href)s?$/;
/** Names are compared by their suffixes. */
const LONGEST_END = 48;

/** Reports whether a member of this name holds the arguments of a call, in any spelling. */
export function holdsArguments(name: string): boolean {
  return meaningOf(name) === 'arguments';
}

/** Reports whether a value that is not text cannot be judged. */
function isStrict(meaning: Meaning): boolean {
  return meaning === 'address' || meaning === 'piece';
}

function isNamed(meaning: Meaning): boolean {
  return isStrict(meaning) || meaning === 'perhaps-address';
}

function ofItems(meaning: Meaning, name: string | number | null): Meaning {
  return meaning === 'address' && typeof name === 'string' && !fold(name).endsWith('s') ? 'piece' : meaning;
}

interface Waiting {
  readonly value: object;
  readonly path: string;
  /** Of a list; its items have the meaning of the list. */
  readonly meaning: Meaning;
}

class Search {
  readonly waiting: Waiting[] = [];
  found: FoundAddress[] | null = null;
  /** Found values with their meaning: equal ones are judged once. */
  readonly #known = new Set<string>();
  #left = MOST_COST;
  #failures = MOST_FAILURES;

  /** A member of the action: an object may be the arguments of the call, and so may a JSON text. */
  enterMember(name: string, value: unknown, hasUrl: boolean): void {
    const meaning = meaningOf(name);
    // Names for the address of the call that rules do not read are judged as the intended member where that is missing.
    const isHeldAlone = meaning === 'none' || (!hasUrl && MEMBERS.url.near.test(fold(name)));
    if (isHeldAlone && typeof value === 'string') this.#enterHeld(value, '', name);
    else this.enter(value, '', name, meaning === 'none' ? 'arguments' : meaning);
  }

  /** @param path of the container of the value, whose name or index there is `name`; `null` for the payload itself */
  enter(value: unknown, path: string, name: string | number | null, meaning: Meaning): void {
    if (typeof value === 'string') {
      if (value !== '') this.#text(value, path, name, meaning);
    } else if (typeof value === 'object' && value !== null) {
      const isList = Array.isArray(value);
      if (isStrict(meaning) && !isList) this.#add(null, '', meaning, joined(path, name));
      else this.waiting.push({ value, path: joined(path, name), meaning: isList ? ofItems(meaning, name) : meaning });
    } else if (isStrict(meaning) && value !== null && value !== undefined) {
      this.#add(null, '', meaning, joined(path, name));
    }
  }

  read({ value, path, meaning }: Waiting): void {
    if (Array.isArray(value)) {
      for (let index = 0; index < value.length; index += 1) this.enter(value[index], path, index, meaning);
      return;
    }
    for (const name of Object.keys(value)) {
      const address = writtenAddress(name);
      if (address !== null) this.#keep({ given: name, address, named: false, isPiece: false, path, isName: true });
      this.enter((value as Readonly<Record<string, unknown>>)[name], path, name, meaningOf(name));
    }
  }

  #text(text: string, path: string, name: string | number | null, meaning: Meaning): void {
    if (meaning === 'arguments' && this.#enterHeld(text, path, name)) return;
    const address = writtenAddress(text) ?? (isNamed(meaning) && /\S/.test(text) ? text : null);
    if (address !== null) this.#add(text, address, meaning, joined(path, name));
  }

  /** Enters the parsed value of a JSON text, also of JSON text in it. @returns whether it is JSON text */
  #enterHeld(text: string, path: string, name: string | number | null): boolean {
    let held: unknown = text;
    for (let round = 0; typeof held === 'string'; round += 1) {
      const value = this.#jsonOf(held);
      if (value === undefined) break;
      if (value === UNREAD || round === MOST_ROUNDS) {
        this.#add(null, '', 'arguments', joined(path, name), TOO_DEEP);
        return true;
      }
      held = value;
    }
    if (held === text) return false;
    this.enter(held, path, name, Array.isArray(held) ? 'arguments' : 'none');
    return true;
  }

  /**
   * The value of a JSON text that contains text; `undefined` for any other text, and {@link UNREAD} where the limits
   * are reached.
   */
  #jsonOf(text: string): unknown {
    const bare = /^\s*[{["`]/.test(text) ? withoutFence(text.trim()) : '';
    if (!mayBeJson(bare)) return undefined;
    if (this.#failures === 0 || bare.includes(NEST)) return UNREAD;
    const value = this.#parsed(bare);
    if (value !== undefined || !LENIENT.test(bare) || this.#failures === 0) return value;
    return this.#parsed(asJson(bare));
  }

  #parsed(text: string): unknown {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      this.#failures -= 1;
      return undefined;
    }
  }

  /** @param problem why it cannot be judged, where that is known */
  #add(given: string | null, address: string, meaning: Meaning, path: string, problem?: string): void {
    this.#keep({ given, address, named: isNamed(meaning), isPiece: meaning === 'piece', path, isName: false }, problem);
  }

  #keep(one: FoundAddress, problem?: string): void {
    this.found ??= [];
    if (this.#left < 0) return;
    const { given, address, named, isPiece } = one;
    const key = given === null ? '' : `${isPiece ? 2 : named ? 1 : 0}${given}`;
    if (this.#known.has(key)) return;
    this.#known.add(key);
    const read = problem ?? readAsItStands(address);
    this.#left -= read !== undefined || ELSEWHERE.test(address) ? PLAIN_COST : address.length + PARSED_COST;
    if (this.#left < 0) this.found.push({ ...one, given: null, isName: false, read: TOO_MANY });
    else this.found.push(read === undefined ? one : Object.assign(one, { read }));
  }
}

function joined(path: string, name: string | number | null): string {
  if (name === null) return path;
  const shown = typeof name === 'number' || PARAMETER.test(name) ? `${name}` : '…';
  return path === '' ? shown : `${path}.${shown}`;
}

/** Names of arguments are few, and repeat. */
const KNOWN = new Map<string, Meaning>();
const MOST_KNOWN = 4_096;

function meaningOf(name: string): Meaning {
  if (!mayHaveMeaning(name)) return 'none';
  if (name.length > LONGEST_END) return meaningOfEnd(name.slice(-LONGEST_END));
  let meaning = KNOWN.get(name);
  if (meaning === undefined) {
    if (KNOWN.size >= MOST_KNOWN) KNOWN.clear();
    KNOWN.set(name, (meaning = meaningOfEnd(name)));
  }
  return meaning;
}

function meaningOfEnd(name: string): Meaning {
  const end = fold(name);
  if (IS_ADDRESS.has(end)) return 'address';
  if (ENDS_AS_ADDRESS.test(end) || MEMBERS.url.near.test(end)) return 'perhaps-address';
  return HOLDS_ARGUMENTS.test(end) ? 'arguments' : 'none';
}

/**
 * Reports whether it has the last letter of one of those names before folding: l, i, f, s, k, t, or a character that
 * folding removes.
 */
function mayHaveMeaning(name: string): boolean {
  const last = name.charCodeAt(name.length - 1);
  switch (last | 0x20) {
    case 0x6c:
    case 0x69:
    case 0x66:
    case 0x73:
    case 0x6b:
    case 0x74:
      return true;
    default:
      return last === 0x5f || last === 0x2d || last === 0x2e || last === 0x20;
  }
}

/** Rules read type and id of the resource of an AuthZEN evaluation as members of the action. */
function heldByResource(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || !('type' in value && 'id' in value)) return value;
  return 'properties' in value ? value.properties : null;
}

const UNREAD = Symbol('unread');
/** Each failure to parse a text costs as much as 30 successes. */
const MOST_FAILURES = 1_000;
/** Deeper nesting takes long to parse. */
const NEST = '['.repeat(1_000);
const JSON_BEGINS = /^(?:\{\s*["}]|\[\s*[-"{[\]\dtfnNI]|".)/s;
const JSON_ENDS: Readonly<Record<string, string>> = { '{': '}', '[': ']', '"': '"' };

/** Extensions that other parsers accept in JSON: non-finite numbers, and control characters in strings. */
const LENIENT = /NaN|Infinity|[\0-\x1f]/;
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\[^][^"\\]*)*"?|-?\bInfinity\b|\bNaN\b/g;

/** A text that lenient parsers accept as JSON, as JSON. */
function asJson(text: string): string {
  return text.replace(TEXT_OR_NUMBER, (one) =>
    one.startsWith('"') ? one.replace(/[\0-\x1f]/g, (sign) => JSON.stringify(sign).slice(1, -1)) : 'null',
  );
}

/** The content of the fence that models set around JSON. */
function withoutFence(text: string): string {
  if (!text.startsWith('```') || !text.endsWith('```') || text.length < 6) return text;
  return text
    .slice(3, -3)
    .replace(/^\w{0,12}/, '')
    .trim();
}

/** JSON without a string in it holds no address. @param text without surrounding blanks */
function mayBeJson(text: string): boolean {
  return JSON_ENDS[text[0]!] === text.at(-1) && JSON_BEGINS.test(text) && text.includes('"');
}
