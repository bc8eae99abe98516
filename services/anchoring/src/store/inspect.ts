import type { AnchorInspection } from './inspection.js';

/**
 * Opens the store of a stopped instance by its file, or of an installation by its database.
 * @throws OtherLayout
 */
export async function inspectAnchors(
  source: { readonly file: string } | { readonly uri: string },
): Promise<AnchorInspection> {
  if ('file' in source) return new (await import('./sqlite-inspect.js')).SqliteInspection(source.file);
  return (await import('./mongo-inspect.js')).openMongoInspection(source.uri);
}
