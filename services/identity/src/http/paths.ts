/** Ids are kept in lower case and asked for in either. */
export function idOf(params: Readonly<Record<string, string>>): string {
  return params['id']!.toLowerCase();
}
