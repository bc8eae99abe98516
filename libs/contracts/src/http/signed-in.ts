import { PLANS } from '../records.js';
import { errorSchema, isoTime, uuid } from './fragments.js';
import { object, type JsonOf } from './json-schema.js';
import { role } from './people.js';
import type { RouteResponse } from './route.js';

export const plan = { type: 'string', enum: PLANS } as const;

const opened = {
  expiresAt: isoTime,
  account: object({ id: uuid, name: { type: 'string' }, plan }),
  user: object({ id: uuid, email: { type: 'string' }, role }),
} as const;

export const signedIn = object({
  token: { type: 'string', description: 'sent as `Authorization: Bearer` on dashboard routes' },
  ...opened,
});
/** A session without its token, which the browser keeps in a cookie. */
export const browserSession = object(opened);

export type SignedIn = JsonOf<typeof signedIn>;
export type BrowserSession = JsonOf<typeof browserSession>;

export const recoveryCodes = {
  type: 'array',
  items: { type: 'string' },
  description: 'each opens one session in place of a code; only in this answer',
} as const;

const withRecoveryCodes = <P extends Readonly<Record<string, unknown>>>(schema: { readonly properties: P }) => ({
  ...schema,
  properties: { ...schema.properties, recoveryCodes },
});

/** The answer where a second factor may have been enrolled in the same request. */
export const signedInByFactor = withRecoveryCodes(signedIn);
export const browserSessionByFactor = withRecoveryCodes(browserSession);

/** Codes of a second factor that was enrolled at the sign-in. */
export interface WithRecoveryCodes {
  readonly recoveryCodes?: readonly string[];
}

const nextStep = object({
  token: { type: 'string', description: 'for the next step of this sign-in, once: not a session' },
  expiresAt: isoTime,
  step: {
    type: 'string',
    enum: ['code', 'enrolment'],
    description: 'code: a code of the second factor; enrolment: the account requires one, and the user has none yet',
  },
});

/** The second step of a sign-in, in the answer to a right password. */
export type NextStep = JsonOf<typeof nextStep>;

/** The refusal of a right password that does not open a session by itself. */
export const secondFactorNeeded = (description: string): RouteResponse => ({
  description,
  schema: { ...errorSchema, properties: { error: { type: 'string' }, secondFactor: nextStep } },
});
