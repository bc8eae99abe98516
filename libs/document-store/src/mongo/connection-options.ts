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
/** Options that the URI may set, because they depend on the network and the server. Those of durability are fixed. */
const OF_THE_URI = new Set([
  'maxPoolSize',
  'serverSelectionTimeoutMS',
  'connectTimeoutMS',
  'socketTimeoutMS',
  'waitQueueTimeoutMS',
]);

type Fixed = Omit<typeof OPTIONS, `${string}TimeoutMS` | 'maxPoolSize'>;
type ConnectionOptions = Fixed & Partial<typeof OPTIONS> & { readonly dbName: string };

/** One database for the installation: that of the URI, else `countersign`. Limits that the URI sets are the URI's. */
export function mongoOptions(uri: string): ConnectionOptions {
  mendDriver();
  const [, path = '', query = ''] = /^mongodb(?:\+srv)?:\/\/[^/]+\/([^?]*)(?:\?(.*))?/.exec(uri) ?? [];
  const inUri = new Set([...new URLSearchParams(query).keys()].map((name) => name.toLowerCase()));
  const isLeftToTheUri = (name: string): boolean => OF_THE_URI.has(name) && inUri.has(name.toLowerCase());
  const options = Object.fromEntries(Object.entries(OPTIONS).filter(([name]) => !isLeftToTheUri(name)));
  return { ...(options as Fixed), dbName: path === '' ? DATABASE : decodeURIComponent(path) };
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
