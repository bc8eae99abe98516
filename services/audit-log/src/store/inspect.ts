import type { ArchiveInspection } from './inspection.js';

/**
 * Opens the archive of a stopped instance by its file, or of an installation by its database.
 * @throws OtherLayout
 */
export async function inspectArchive(
  source: { readonly file: string } | { readonly uri: string },
): Promise<ArchiveInspection> {
  if ('file' in source) return new (await import('./sqlite-inspect.js')).SqliteInspection(source.file);
  return (await import('./mongo-inspect.js')).openMongoInspection(source.uri);
}
