import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongoOptions } from '@countersign/document-store';
import { createConnection } from 'mongoose';
import { onPlan } from '../domain/plans.js';
import { openMongoIdentityStore, openSqliteIdentityStore } from './open.js';

/**
 * Measures registrations per second of LANES concurrent writers, as JSON: `node mongo-writes-bench.js STORE SECONDS LANES [URI]`.
 * STORE: `sqlite`; `mongo`; `bare`: a transaction of the server that only inserts as many documents.
 */
const [store = 'sqlite', seconds = '5', lanes = '16', uri = ''] = process.argv.slice(2);
const AT = new Date(Date.UTC(2026, 2, 1)).toISOString();
/** Account, user, key and session; the rows of the outbox, and the versions to announce. */
const DOCUMENTS = 4 + 3 + 4;

interface Subject {
  write(id: string): Promise<unknown>;
  close(): Promise<unknown>;
}

async function identity(): Promise<Subject> {
  const directory = mkdtempSync(join(tmpdir(), 'identity-writes-'));
  const opened =
    store === 'mongo' ? await openMongoIdentityStore(uri) : await openSqliteIdentityStore(join(directory, 'i.sqlite'));
  return {
    async write(id) {
      const email = `${id}@x.example`;
      const session = { accountId: id, userId: id, email, role: 'admin', expiresAt: AT, revokedAt: null } as const;
      const key = { accountId: id, name: id, prefix: 'p', sha256: id, createdAt: AT, revokedAt: null };
      const result = await opened.write({
        accounts: [{ id, version: 1, facts: onPlan(id, 'core', {}, 0) }],
        users: [{ id, version: 1, accountId: id, email, role: 'admin', passwordHash: 'hash', createdAt: AT }],
        apiKeys: [{ id, version: 1, facts: key }],
        sessions: [{ id, version: 1, facts: session }],
      });
      if (result !== 'written') throw new Error(`${id}: ${result}`);
    },
    async close() {
      await opened.close();
      rmSync(directory, { recursive: true });
    },
  };
}

async function bare(): Promise<Subject> {
  const connection = await createConnection(uri, mongoOptions(uri)).asPromise();
  const rows = await connection.createCollection<{ _id: string; body: string }>('bare');
  return {
    write: (id) =>
      connection.transaction(async (session) => {
        const inserted = Array.from({ length: DOCUMENTS }, (_, n) => ({ _id: `${id}-${n}`, body: 'x'.repeat(300) }));
        await rows.insertMany(inserted, { session });
      }),
    close: () => connection.close(),
  };
}

const subject = await (store === 'bare' ? bare() : identity());
const until = performance.now() + Number(seconds) * 1000;
const begun = performance.now();
let written = 0;
await Promise.all(
  Array.from({ length: Number(lanes) }, async () => {
    while (performance.now() < until) {
      await subject.write(randomUUID());
      written += 1;
    }
  }),
);
const perSecond = written / ((performance.now() - begun) / 1000);
await subject.close();
process.stdout.write(`${JSON.stringify({ perSecond })}\n`);
