/**
 * Options of `mongoose.createConnection` for a store: nothing is acknowledged that a failover could lose, nothing is
 * read that it could take back, and nobody waits for long for a server that is gone.
 */
const OPTIONS = {
  maxPoolSize: 20,
  serverSelectionTimeoutMS: 2000,
  connectTimeoutMS: 2000,
  socketTimeoutMS: 10_000,
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
  const path = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]*)/.exec(uri)?.[1] ?? '';
  return { ...OPTIONS, dbName: path === '' ? DATABASE : decodeURIComponent(path) };
}
