import { mendDriver } from './mend-driver.js';

/**
 * Options of `mongoose.createConnection` for a store: a failover loses no acknowledged write and takes back no read one,
 * and a call fails soon after the server has become unavailable.
 */
const OPTIONS = {
  maxPoolSize: 20,
  serverSelectionTimeoutMS: 2000,
  connectTimeoutMS: 2000,
  socketTimeoutMS: 10_000,
  waitQueueTimeoutMS: 10_000,
  bufferCommands: false,
  autoCreate: false,
  autoIndex: false,
  readPreference: 'primary',
  readConcern: { level: 'majority' },
  writeConcern: { w: 'majority', journal: true, wtimeoutMS: 5000 },
} as const;

const DATABASE = 'countersign';

/** One database for the installation: that of the URI, else `countersign`. */
export function mongoOptions(uri: string): typeof OPTIONS & { readonly dbName: string } {
  mendDriver();
  const path = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]*)/.exec(uri)?.[1] ?? '';
  return { ...OPTIONS, dbName: path === '' ? DATABASE : decodeURIComponent(path) };
}

/** For reading whole stores: no caller waits for the answer, so a busy server has more time. */
const PATIENT = {
  ...OPTIONS,
  maxPoolSize: 2,
  serverSelectionTimeoutMS: 10_000,
  socketTimeoutMS: 120_000,
  waitQueueTimeoutMS: 120_000,
} as const;

/** {@link mongoOptions} for reading a store from end to end. */
export function readingOptions(uri: string): typeof PATIENT & { readonly dbName: string } {
  return { ...PATIENT, dbName: mongoOptions(uri).dbName };
}
