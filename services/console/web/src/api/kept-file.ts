import { AskError, askFile } from './ask.js';
import { client } from './client.js';

/** Key of the kept files. */
export const KEPT = ['file'];
const keptAt = new WeakMap<Blob, number>();

/** When a file was read that the server could not be asked for again, ms; `undefined`: it is as it was answered. */
export function readBefore(file: Blob): number | undefined {
  return keptAt.get(file);
}

/** A file as it is now, or, where the server cannot be reached, as it was read last: it can still be verified. */
export async function keptFile(path: string, accept?: string): Promise<Blob> {
  const queryKey = [...KEPT, path, accept];
  try {
    const read = async (): Promise<Blob> => (await askFile(path, accept === undefined ? {} : { accept })).content;
    return await client.fetchQuery({ queryKey, queryFn: read, staleTime: 0, retry: false });
  } catch (error) {
    const { data: kept, dataUpdatedAt = 0 } = client.getQueryState<Blob>(queryKey) ?? {};
    if (kept === undefined || !(error instanceof AskError) || error.status !== 0) throw error;
    keptAt.set(kept, dataUpdatedAt);
    return kept;
  }
}
