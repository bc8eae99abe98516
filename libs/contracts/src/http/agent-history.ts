import {
  bodyErrors,
  error,
  instant,
  isoTime,
  limit,
  pageOf,
  paging,
  sessionErrors,
  sha256Hex,
  uuid,
} from './fragments.js';
import { nullable, openObject, type JsonOf, type QueryOf } from './json-schema.js';
import { behaviorProfile } from './profile.js';
import { route } from './route.js';

const service = 'audit-log' as const;
const tag = 'Agents' as const;

const by = {
  description: 'who changed it: `{kind, id}`, with `kind` `user`, `api_key` or `system`; `null` if it is erased',
} as const;

const profileVersion = openObject({
  version: { type: 'integer', minimum: 1 },
  at: instant,
  by,
  eventId: uuid,
  sha256: { ...sha256Hex, description: '`profileSha256` of the checks that were decided under it' },
  anchored: { type: 'boolean' },
  changed: {
    ...nullable({ type: 'array', items: { type: 'string' } }),
    description: 'fields that differ from the version before; `null` if either is erased',
  },
});

/** One version of a profile, from the event that put it in force. */
export type ProfileVersion = JsonOf<typeof profileVersion>;

const anchoredWindow = openObject({
  merkle_root: sha256Hex,
  chain_tx_signature: { type: 'string' },
  chain_block_height: { type: 'integer' },
  anchored_at: instant,
  window_start: instant,
  window_end: instant,
  event_count: { type: 'integer' },
  firstSequence: { type: 'integer' },
  lastSequence: { type: 'integer' },
});

/** An anchored window of an agent, without the ids of its events. */
export type AnchoredWindowRecord = JsonOf<typeof anchoredWindow>;

const noAgent = error('the account has no such agent');

/** Routes of audit-log about the history of one agent. */
export const agentHistoryRoutes = {
  listProfileVersions: route({
    service,
    method: 'GET',
    path: '/v1/agents/{id}/profile/versions',
    operationId: 'listProfileVersions',
    summary: 'Versions of the profile, newest first, each with its event',
    tag,
    auth: 'session',
    params: { id: uuid },
    query: paging,
    success: 200,
    responses: {
      200: { description: 'a page of versions', schema: pageOf('versions', profileVersion) },
      400: bodyErrors[400],
      ...sessionErrors,
      404: noAgent,
    },
  }),
  getProfileVersion: route({
    service,
    method: 'GET',
    path: '/v1/agents/{id}/profile/versions/{version}',
    operationId: 'getProfileVersion',
    summary: 'One version of the profile, as it was committed',
    tag,
    auth: 'session',
    params: { id: uuid, version: { type: 'string', pattern: '^[1-9][0-9]{0,14}$' } },
    success: 200,
    responses: {
      200: {
        description: 'the version; `profile` is `null` if it is erased',
        schema: openObject({ ...profileVersion.properties, profile: nullable(behaviorProfile) }),
      },
      400: bodyErrors[400],
      ...sessionErrors,
      404: error('the account has no such agent, or no event names this version'),
    },
  }),
  listAgentWindows: route({
    service,
    method: 'GET',
    path: '/v1/agents/{id}/windows',
    operationId: 'listAgentWindows',
    summary: 'Anchored windows of an agent, newest first, without the ids of their events',
    tag,
    auth: 'session',
    params: { id: uuid },
    query: {
      from: isoTime,
      to: isoTime,
      limit,
      before: { type: 'integer', minimum: 1, maximum: 9007199254740991 },
    },
    success: 200,
    responses: {
      200: {
        description: 'a page of windows; with `from` and `to` those that hold events of this time',
        schema: openObject({
          windows: { type: 'array', items: anchoredWindow },
          limit: { type: 'integer' },
          next: {
            type: ['integer', 'null'],
            description: 'send it as `before` for the next page; `null`: there are no more windows',
          },
        }),
      },
      400: bodyErrors[400],
      ...sessionErrors,
      404: noAgent,
    },
  }),
} as const;

export type WindowsQuery = QueryOf<typeof agentHistoryRoutes.listAgentWindows>;
