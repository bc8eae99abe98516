import { crc32 } from 'node:zlib';
import { mongo } from 'mongoose';
import { WindowDamaged } from '../domain/agent-fold.js';
import { arrivalCheck } from '../domain/arrival-check.js';
import type { LeavesDocument } from './mongo-collections.js';

/** A leaf in the window that it went into. */
export interface LeafRow {
  readonly offset: number;
  readonly agentN: number;
  readonly sequence: number;
  readonly cadence: number;
  readonly window: number;
  readonly hash: Uint8Array;
}

/** Offset, agent number, sequence (8 bytes each), cadence, window number (4 each), hash (32), check (4). */
const ROW_BYTES = 68;

export function binary(bytes: Uint8Array): mongo.Binary {
  return new mongo.Binary(bytes);
}

export function bytesOf(stored: mongo.Binary): Buffer {
  return Buffer.from(stored.value());
}

/** Rows of one partition's batch, and the check over all of them. */
export function packRows(partition: number, rows: readonly LeafRow[]): Pick<LeavesDocument, 'rows' | 'check'> {
  const packed = Buffer.alloc(rows.length * ROW_BYTES);
  for (const [i, { offset, agentN, sequence, cadence, window, hash }] of rows.entries()) {
    const at = i * ROW_BYTES;
    packed.writeDoubleBE(offset, at);
    packed.writeDoubleBE(agentN, at + 8);
    packed.writeDoubleBE(sequence, at + 16);
    packed.writeUInt32BE(cadence, at + 24);
    packed.writeUInt32BE(window, at + 28);
    packed.set(hash, at + 32);
    packed.writeUInt32BE(arrivalCheck(cadence, partition, offset, agentN, sequence, hash), at + 64);
  }
  return { rows: binary(packed), check: crc32(packed) };
}

/** @throws WindowDamaged when a row is not what was taken */
export function unpackRows(document: LeavesDocument): LeafRow[] {
  const place = `agent-events/${document.p}/${document.from}`;
  if (document.rows === undefined) throw new WindowDamaged(`the leaves from ${place} on are needed and were dropped`);
  const packed = bytesOf(document.rows);
  if (packed.length % ROW_BYTES !== 0 || crc32(packed) !== document.check) {
    throw new WindowDamaged(`the stored leaves from ${place} on are not what was taken`);
  }
  return Array.from({ length: packed.length / ROW_BYTES }, (_, i) => {
    const row = packed.subarray(i * ROW_BYTES, (i + 1) * ROW_BYTES);
    const [offset, agentN, sequence] = [row.readDoubleBE(0), row.readDoubleBE(8), row.readDoubleBE(16)];
    const [cadence, window, hash] = [row.readUInt32BE(24), row.readUInt32BE(28), row.subarray(32, 64)];
    if (arrivalCheck(cadence, document.p, offset, agentN, sequence, hash) !== row.readUInt32BE(64)) {
      throw new WindowDamaged(`the stored leaf at agent-events/${document.p}/${offset} is not what was taken`);
    }
    return { offset, agentN, sequence, cadence, window, hash };
  });
}

/** An event id as it is kept: the 16 bytes of the UUID. */
export function idBytes(eventId: string): Buffer {
  return Buffer.from(eventId.replaceAll('-', ''), 'hex');
}

/** When an event was made, by its UUID v7, ms. */
export function idTimeMs(id: Buffer): number {
  return id.readUIntBE(0, 6);
}
