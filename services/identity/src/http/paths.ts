/** Ids are stored in lower case and accepted in either. */
export function idOf(params: Readonly<Record<string, string>>): string {
  return params['id']!.toLowerCase();
}
