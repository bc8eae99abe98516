import type { Readable } from './seen-check.js';

/** Why no draft can rest on these checks; `null` where one can. */
export function refusalOf(
  { checks, notAllowed, erased, withheld }: Readable,
  { least, withoutArguments }: { readonly least: number; readonly withoutArguments: boolean },
): string | null {
  const readable = checks - notAllowed - erased;
  if (readable < least) {
    const parts = [
      ...(notAllowed === 0 ? [] : [`${notAllowed} were not allowed`]),
      ...(erased === 0 ? [] : [`the content of ${erased} is erased`]),
    ];
    const why = parts.length === 0 ? '' : `: of ${checks} checks ${parts.join(', and ')}`;
    return `a draft needs ${least} allowed checks that can be read, and there are ${readable}${why}. Name a longer time with --from, or a smaller number with --least`;
  }
  if (withheld === readable && !withoutArguments) {
    return `the arguments of all ${readable} allowed checks were withheld, so no rule can rest on them: set store_payload, and draft again after some work, or draft lists and rates alone with --without-arguments`;
  }
  return null;
}
