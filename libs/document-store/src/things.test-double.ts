import type { Collection } from './port.js';

export interface Thing {
  readonly owner: string;
  readonly name: string | null;
  readonly size: number;
  readonly open: boolean;
  readonly more?: unknown;
}

export interface ThingKeys {
  readonly owner: string;
  readonly name: string | null;
  readonly size: number;
  readonly open: boolean;
  readonly [key: string]: string | number | boolean | null;
}

export const THINGS: Collection<Thing, ThingKeys> = {
  name: 'things',
  keysOf: ({ owner, name, size, open }) => ({ owner, name, size, open }),
  keys: { owner: 'text', name: 'text', size: 'number', open: 'boolean' },
  keysVersion: 1,
  indexes: [['owner', 'size'], ['open']],
  unique: ['name'],
};

export const COUNTS: Collection<{ readonly n: number }, Record<string, never>> = {
  name: 'counts',
  keysOf: () => ({}),
  keys: {},
  keysVersion: 1,
  indexes: [],
};

export const thing = (over: Partial<Thing> = {}): Thing => ({ owner: 'a', name: null, size: 1, open: true, ...over });
