import { error, retryLater } from './fragments.js';
import { nullable, object, type JsonOf } from './json-schema.js';
import { LOOK_UP } from './public-answers.js';
import { route } from './route.js';

/**
 * Reasons for which a sign-in at the provider opens no session, as the console's address names them after
 * `#/single-sign-on/`.
 */
export const SINGLE_SIGN_ON_REFUSALS = [
  'cancelled',
  'refused-by-provider',
  'stale',
  'issuer',
  'token',
  'email',
  'unknown',
  'subject',
  'account',
  'role',
  'last-admin',
  'unavailable',
] as const;
export type SingleSignOnRefusal = (typeof SINGLE_SIGN_ON_REFUSALS)[number];

const methods = object({
  singleSignOn: nullable(
    object({
      label: { type: 'string', description: 'name of the provider' },
      url: { type: 'string', description: 'address that a browser opens to sign in' },
    }),
  ),
});
export type SignInMethods = JsonOf<typeof methods>;

const notSetUp = error('single sign-on is not set up here');
const away = retryLater('the provider cannot be reached now');
const tag = 'Accounts';

/** Sign-in at a provider of OpenID Connect, by authorization code with PKCE. */
export const singleSignOnRoutes = {
  getSignInMethods: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/auth/methods',
    operationId: 'getSignInMethods',
    summary: 'The ways to sign in, for sign-in pages',
    tag,
    auth: 'none',
    success: 200,
    responses: { 200: { description: 'the ways to sign in', schema: methods } },
  }),
  startSingleSignOn: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/auth/oidc/start',
    operationId: 'startSingleSignOn',
    summary: 'Sends the browser to the provider of OpenID Connect to sign in there',
    tag,
    auth: 'none',
    perAddress: LOOK_UP,
    success: 302,
    responses: {
      302: {
        description: 'to the provider',
        headers: {
          Location: 'address of the provider, with `state`, `nonce` and the challenge of PKCE',
          'Set-Cookie': '`__Host-csn_sign_in`; on this machine, by plain http, `csn_sign_in`: for ten minutes',
        },
      },
      400: error('a browser would send the cookie in the clear to this host'),
      404: notSetUp,
      503: away,
    },
  }),
  finishSingleSignOn: route({
    service: 'identity',
    method: 'GET',
    path: '/v1/auth/oidc/callback',
    operationId: 'finishSingleSignOn',
    summary: 'Opens a session for the browser that comes back from the provider, once',
    tag,
    auth: 'none',
    perAddress: LOOK_UP,
    success: 302,
    responses: {
      302: {
        description: 'to the console, signed in; or to the console with the reason why not, after `#/single-sign-on/`',
        headers: {
          Location: 'address in the console',
          'Set-Cookie': 'the cookie of the session, as `POST /v1/session` sets it; absent after a refusal',
        },
      },
      400: error('a browser would send the session in the clear to this host'),
      404: notSetUp,
      503: { ...error('the service is starting, or takes no more requests now'), headers: away.headers },
    },
  }),
} as const;
