import { frequent } from './bounds.js';
import { mayBeShown } from './shown-values.js';

const MOST_FOLDERS = 5;
/** Their subfolders are named by people. */
const HOMES = new Set(['home', 'Users']);
/** A segment that a list of folders may name: `reports`, `v2`; `2026-03` and `a.csv` vary from file to file. */
const NAMED = /^[A-Za-z_.][A-Za-z_.-]{0,39}\d?$/;

/**
 * The deepest folders, one below each first segment, that hold the paths; empty if these are too many to be a closed set.
 * Paths that are not absolute, or have `..`, are in no folder.
 */
export function foldersOf(lists: readonly (readonly string[])[], allowance: number): readonly string[] {
  const paths = lists.map((list) => list.map(segmentsOf).filter((segments) => segments.length > 0));
  const firsts = frequent(
    paths.map((list) => list.map(([first]) => first!)),
    allowance,
  );
  if (firsts.length > MOST_FOLDERS) return [];
  const all = paths.flat();
  const folders = firsts.map((first) => {
    const below = all.filter((segments) => segments[0] === first);
    return `/${below.reduce(common, below[0]!).join('/')}`;
  });
  return folders.every((folder) => folder !== '/' && mayBeShown(folder)) ? folders : [];
}

/** The segments of the folder of a file, as far as these may be named. */
function segmentsOf(path: string): readonly string[] {
  if (!path.startsWith('/') || path.includes('..') || path.includes('\\') || path.includes('%')) return [];
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '.');
  const folder = path.endsWith('/') ? segments : segments.slice(0, -1);
  const end = folder.findIndex((segment, at) => !NAMED.test(segment) || HOMES.has(folder[at - 1] ?? ''));
  return end < 0 ? folder : folder.slice(0, end);
}

function common(one: readonly string[], other: readonly string[]): readonly string[] {
  const end = one.findIndex((segment, at) => segment !== other[at]);
  return end < 0 ? one : one.slice(0, end);
}
