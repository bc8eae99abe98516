import type { StoreRebuild } from '@countersign/document-store';

/** The store in MongoDB as the command sees it that rebuilds it. @throws when no server answers */
export async function openStoreRebuild(uri: string): Promise<StoreRebuild> {
  const { openRebuild } = await import('./mongo-rebuild.js');
  return openRebuild(uri);
}
