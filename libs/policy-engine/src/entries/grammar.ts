import { entryReadings } from '../scopes/scope-readings.js';
import { isIpAddress, normalHost } from '../urls/normal-host.js';
import { pathViews } from '../urls/path-views.js';
import { parseHttpUrl } from '../urls/read-url.js';

/** `null`: any port. */
export interface HostEntry {
  readonly host: string;
  readonly port: string | null;
}

export interface PrefixEntry extends HostEntry {
  /** `null`: either. */
  readonly scheme: 'http:' | 'https:' | null;
  readonly views: readonly (readonly string[])[];
}

/** Meaning of an entry of `allowed_apis` or `blocked_apis`. A plain name may be a host and a tool name at once. */
export interface ApiEntry {
  /** A tool name, or a pattern of tool names that ends in `*`. */
  readonly name?: string;
  readonly host?: HostEntry;
  /** All hosts below this one. */
  readonly below?: HostEntry;
  readonly prefix?: PrefixEntry;
}

const EMPTY = 'is empty: remove it';
const MARGIN = 'begins or ends with white space, so that nothing would match it: write it without';
const STAR = 'has a * that is not its last character: write names as crm.*';
const UP =
  'is a path with .., a control character, or encodings inside each other or as %u002e, which no data scope may have: write the path that is read';
const API_STAR = 'has a * in a place where none may stand: write *.example.com for hosts, or crm.* for tool names';

/** The problem of an entry of a list of action types, tool names or data scopes; `null` for none. */
export function nameEntryProblem(entry: string): string | null {
  if (entry === '') return EMPTY;
  if (entry !== entry.trim()) return MARGIN;
  const star = entry.indexOf('*');
  return star >= 0 && star !== entry.length - 1 ? STAR : null;
}

/** The problem of an entry of a list of data scopes; `null` for none. */
export function scopeEntryProblem(entry: string): string | null {
  const problem = nameEntryProblem(entry);
  if (problem !== null) return problem;
  return entryReadings(entry) === null ? UP : null;
}

/** The problem of an entry of a list of APIs; `null` for none. */
export function apiEntryProblem(entry: string): string | null {
  const read = readApiEntry(entry);
  return typeof read === 'string' ? read : null;
}

/** The meaning of an entry of a list of APIs, or its problem. */
export function readApiEntry(entry: string): ApiEntry | string {
  if (entry === '') return EMPTY;
  if (entry !== entry.trim()) return MARGIN;
  if (entry.startsWith('*.')) return readWildcardHost(entry);
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(entry)) return readUrlPrefix(entry);
  const star = entry.indexOf('*');
  if (star >= 0 && star !== entry.length - 1) return API_STAR;
  if (star >= 0 && !entry.endsWith('/*')) return { name: entry };
  const slash = entry.indexOf('/');
  // `api.example.com/*` would otherwise be accepted, and block only tools of that name.
  if (slash > 0) return readNameOrPrefix(entry, slash, star < 0 ? entry : entry.slice(0, star));
  const host = readHost(entry);
  return host === null ? { name: entry } : { name: entry, host };
}

/** @param prefix the entry without its last `*` */
function readNameOrPrefix(entry: string, slash: number, prefix: string): ApiEntry {
  const host = readHost(entry.slice(0, slash));
  const views = host === null ? null : prefixViews(`http://h${prefix.slice(slash)}`);
  return host === null || views === null ? { name: entry } : { name: entry, prefix: { ...host, scheme: null, views } };
}

function readWildcardHost(entry: string): ApiEntry | string {
  const rest = entry.slice(2);
  if (rest.includes('*')) return API_STAR;
  const below = readHost(rest);
  if (below === null || isIpAddress(below.host)) return 'is no wildcard host: write *.example.com';
  return { below };
}

function readUrlPrefix(entry: string): ApiEntry | string {
  if (entry.includes('*')) return API_STAR;
  if (/[?#]/.test(entry)) return 'has a query or a fragment: a URL prefix ends with its path';
  if (/[\s\p{Cc}]/u.test(entry)) return 'has white space or control characters: encode them as %20 and the like';
  if (/^[a-z]+:[/\\]+[^/\\]*@/i.test(entry)) return 'has user information: write the URL prefix without it';
  const url = parseHttpUrl(entry);
  if (url === null) return 'is no http or https URL: write a prefix as https://api.example.com/v1/';
  const views = pathViews(url.pathname);
  if (views === null) return 'is encoded too often: write the path as the server sees it';
  return { prefix: { host: url.host, port: portWritten(entry) ? url.port : null, scheme: url.scheme, views } };
}

function portWritten(entry: string): boolean {
  return /^[a-z]+:[/\\]+[^/\\]*:\d+(?:[/\\]|$)/i.test(entry);
}

function prefixViews(text: string): readonly (readonly string[])[] | null {
  if (/[?#]/.test(text)) return null;
  const url = parseHttpUrl(text);
  return url === null ? null : pathViews(url.pathname);
}

function readHost(entry: string): HostEntry | null {
  if ((entry.match(/:/g)?.length ?? 0) > 1 && !entry.startsWith('[')) return readHost(`[${entry}]`);
  const parts = /^(\[[0-9A-Fa-f:.]+\]|[^\s/?#@\\:[\]]+)(?::(\d{1,5}))?$/u.exec(entry);
  if (parts === null) return null;
  try {
    const host = normalHost(new URL(`http://${parts[1]!}/`).hostname);
    const port = parts[2] === undefined ? null : Number(parts[2]);
    if (host === null || (port !== null && port > 65_535)) return null;
    return { host, port: port === null ? null : `${port}` };
  } catch {
    return null;
  }
}
