import { setPriority } from 'node:os';

/**
 * Reads the input of a program of `ChildLane`, whole. From then on the process yields the processor to the checks of its machine, and
 * leaves signals to the group to its parent, which ends it.
 */
export async function inputOfChild(): Promise<Buffer> {
  setPriority(10);
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  const chunks: Buffer[] = [];
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
