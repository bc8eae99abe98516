import { AskError, askFile } from './ask.js';
import { client } from './client.js';

/** A file as it is now, or, where the server cannot be reached, as it was read last: it can still be verified. */
export async function keptFile(path: string, accept?: string): Promise<Blob> {
  const queryKey = ['file', path, accept];
  try {
    const read = async (): Promise<Blob> => (await askFile(path, accept === undefined ? {} : { accept })).content;
    return await client.fetchQuery({ queryKey, queryFn: read, staleTime: 0, retry: false });
  } catch (error) {
    const kept = client.getQueryData<Blob>(queryKey);
    if (kept === undefined || !(error instanceof AskError) || error.status !== 0) throw error;
    return kept;
  }
}
