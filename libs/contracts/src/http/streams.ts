import { bodyErrors, error, instant, isoTime, notRecorded, sessionErrors, uuid } from './fragments.js';
import { nullable, openObject, type BodyOf, type JsonOf, type JsonSchema } from './json-schema.js';
import { route } from './route.js';

/** Receivers that a stream can send to. */
export const STREAM_KINDS = ['https', 'splunk_hec', 'elastic', 'syslog', 's3'] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

export const STREAM_FORMATS = ['ocsf', 'ecs', 'cef'] as const;
export type StreamFormat = (typeof STREAM_FORMATS)[number];

const name = { type: 'string', minLength: 1, maxLength: 128 } as const;

const filter = {
  type: 'object',
  properties: {
    agentId: uuid,
    type: name,
    outcome: name,
    allowed: { type: 'boolean' },
    violation_type: name,
    rule: { type: 'string', minLength: 1, maxLength: 1024 },
  },
  additionalProperties: false,
} as const;

/** Events that a stream sends: those that have each of these members. */
export type StreamFilter = JsonOf<typeof filter>;

const secret = { type: 'string', minLength: 1, maxLength: 8192 } as const;
/** Sent in a header as it is. */
const headerSecret = { ...secret, pattern: '^[\\x21-\\x7e]+$' } as const;

const certificates = { type: 'string', minLength: 1, maxLength: 65_536 } as const;

const credentials = {
  type: 'object',
  description:
    'never returned. `splunk_hec`: `token`; `elastic`: `apiKey`, or `username` and `password`; `https`: nothing, or `token` for `Authorization: Bearer`; `syslog`: nothing, or any of `ca` and `clientCertificate` with `clientKey`, in PEM; `s3`: `accessKeyId` and `secretAccessKey`',
  properties: {
    token: headerSecret,
    apiKey: headerSecret,
    username: secret,
    password: secret,
    ca: { ...certificates, description: 'authorities that are trusted instead of the public ones' },
    clientCertificate: { ...certificates, description: 'with the chain to its authority' },
    clientKey: secret,
    accessKeyId: headerSecret,
    secretAccessKey: secret,
  },
  additionalProperties: false,
} as const;

export type StreamCredentials = JsonOf<typeof credentials>;

/** A century: more is an error of Amazon S3. */
const MOST_LOCK_DAYS = 36_500;

const settings = {
  type: 'object',
  description:
    '`syslog`: `maxMessageBytes`, `enterpriseId`; `s3`: `bucket`, `region` and `lock`, and if wanted `prefix`, `gzip` and `checksum`; other kinds have none. A change replaces all of them',
  properties: {
    maxMessageBytes: {
      type: 'integer',
      minimum: 2048,
      maximum: 1_048_576,
      description:
        '8192 if it is not given, which receivers should take (RFC 5425). A longer event is sent without its content, and marked as truncated',
    },
    enterpriseId: {
      type: 'integer',
      minimum: 1,
      maximum: 4_294_967_295,
      description:
        'the private enterprise number that IANA assigned to the receiving organization: ids are then in structured data as well, in `countersign@<number>`',
    },
    bucket: { type: 'string', pattern: '^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$' },
    region: {
      type: 'string',
      pattern: '^[a-z0-9-]{1,64}$',
      description: 'of the signature; `us-east-1` where there is none',
    },
    prefix: {
      type: 'string',
      maxLength: 512,
      pattern: '^[A-Za-z0-9._=/-]*$',
      description: 'of the keys: `<prefix>/<year>/<month>/<day>/<stream>/…`',
    },
    gzip: { type: 'boolean', description: 'objects are compressed, and their keys end with `.gz`' },
    checksum: {
      type: 'string',
      enum: ['sha256', 'md5'],
      description: '`x-amz-checksum-sha256`; or `Content-MD5`, for stores that do not know the other',
    },
    lock: {
      type: 'object',
      description:
        'object lock: the retention of each object, of test events as well. What is retained in mode COMPLIANCE can be deleted by no one',
      required: ['mode', 'days'],
      properties: {
        mode: { type: 'string', enum: ['GOVERNANCE', 'COMPLIANCE'] },
        days: { type: 'integer', minimum: 1, maximum: MOST_LOCK_DAYS },
      },
      additionalProperties: false,
    },
  },
  additionalProperties: false,
} as const;

/** Settings of a kind of receiver besides its address and credentials. */
export type StreamSettings = JsonOf<typeof settings>;

const url = { type: 'string', minLength: 3, maxLength: 2048 } as const;

const trail = {
  type: 'boolean',
  description:
    'events of the account itself (`account.*`) are sent, with e-mail and IP addresses of its people. Not named: only if `filter` names such a type, or the id of this sequence',
} as const;

const entry = {
  id: uuid,
  kind: { type: 'string', enum: STREAM_KINDS },
  url: { type: 'string' },
  format: { type: 'string', enum: STREAM_FORMATS },
  settings,
  filter,
  trail,
  enabled: { type: 'boolean' },
  createdAt: instant,
} as const;

const stream = openObject(entry);

/** A stream as it was made; its credentials are never shown. */
export type StreamRecord = JsonOf<typeof stream>;

const followedStream = openObject({
  ...entry,
  from: { ...instant, description: 'of each agent: its first event of this time or later, and all after that one' },
  lag: openObject({
    events: { type: 'integer', minimum: 0, description: 'events not yet taken, also those that the filter leaves out' },
    seconds: { type: 'integer', minimum: 0, description: 'since nothing was waiting' },
  }),
  lastDeliveredAt: nullable(instant),
  lastError: nullable(openObject({ at: instant, status: { type: ['integer', 'null'] }, message: { type: 'string' } })),
});

/** A stream, and how far it has come; `lastError` is `null` once a batch is accepted again. */
export type FollowedStream = JsonOf<typeof followedStream>;

const notFound = error('the account has no such stream');
const params = { id: uuid };
const of = { service: 'alerts', tag: 'Streams', auth: 'session' } as const;
const changedByAnother = error('another request has just changed the stream');

/** Routes of streams. */
export const streamRoutes = {
  listStreams: route({
    ...of,
    method: 'GET',
    path: '/v1/streams',
    operationId: 'listStreams',
    summary: 'Streams of events to other products, oldest first, with how far each has come',
    success: 200,
    responses: {
      200: {
        description: 'every stream of the account',
        schema: {
          type: 'object',
          required: ['streams'],
          properties: { streams: { type: 'array', items: followedStream } },
        },
      },
      ...sessionErrors,
    },
  }),
  createStream: route({
    ...of,
    method: 'POST',
    path: '/v1/streams',
    operationId: 'createStream',
    summary: 'Send every event of agents from now on, or from `from`, to another product',
    role: 'admin',
    body: {
      type: 'object',
      required: ['kind', 'url', 'format'],
      properties: {
        kind: entry.kind,
        url: {
          ...url,
          description:
            'an https URL that is publicly reachable, for `elastic` with the name of the index; for `syslog` `tls://host:port`, 6514 without a port; for `s3` the endpoint without the bucket, which is addressed by path',
        },
        format: entry.format,
        settings,
        filter,
        trail,
        enabled: entry.enabled,
        from: isoTime,
        credentials,
      },
      additionalProperties: false,
    },
    success: 201,
    responses: {
      201: { description: 'created', schema: stream },
      ...bodyErrors,
      ...sessionErrors,
      ...notRecorded,
      409: error('the account has the maximum number of streams'),
    },
  }),
  getStream: route({
    ...of,
    method: 'GET',
    path: '/v1/streams/{id}',
    operationId: 'getStream',
    summary: 'A stream, how far it has come, and its last error',
    params,
    success: 200,
    responses: {
      200: { description: 'the stream', schema: followedStream },
      400: bodyErrors[400],
      ...sessionErrors,
      404: notFound,
    },
  }),
  changeStream: route({
    ...of,
    method: 'PATCH',
    path: '/v1/streams/{id}',
    operationId: 'changeStream',
    summary: 'Change address, credentials, settings, filter or trail of a stream, or switch it off and on',
    role: 'admin',
    params,
    body: {
      type: 'object',
      properties: {
        url: { ...url, description: 'at another host the credentials have to be sent again' },
        settings,
        filter,
        trail,
        enabled: entry.enabled,
        credentials,
      },
      additionalProperties: false,
    },
    success: 200,
    responses: {
      200: { description: 'changed', schema: stream },
      ...bodyErrors,
      ...sessionErrors,
      ...notRecorded,
      404: notFound,
      409: changedByAnother,
    },
  }),
  deleteStream: route({
    ...of,
    method: 'DELETE',
    path: '/v1/streams/{id}',
    operationId: 'deleteStream',
    summary: 'Remove a stream, its credentials and its place',
    role: 'admin',
    params,
    success: 204,
    responses: {
      204: { description: 'removed' },
      400: bodyErrors[400],
      ...sessionErrors,
      ...notRecorded,
      404: notFound,
    },
  }),
  testStream: route({
    ...of,
    method: 'POST',
    path: '/v1/streams/{id}/test',
    operationId: 'testStream',
    summary: 'Deliver a test event once, also by a stream that is switched off',
    role: 'admin',
    params,
    success: 200,
    responses: {
      200: {
        description: 'whether the receiver accepted it, and the status of its answer, `null` if there was none',
        schema: {
          type: 'object',
          required: ['delivered', 'status', 'error'],
          properties: {
            delivered: { type: 'boolean' },
            status: { type: ['integer', 'null'] },
            error: { type: ['string', 'null'] },
          },
        } satisfies JsonSchema,
      },
      400: bodyErrors[400],
      ...sessionErrors,
      ...notRecorded,
      404: notFound,
      429: {
        ...error('the account has sent ten test events within a minute'),
        headers: { 'Retry-After': 'seconds until it may send another' },
      },
    },
  }),
} as const;

export type NewStreamBody = BodyOf<typeof streamRoutes.createStream>;
/** Members that are not named stay unchanged. */
export type StreamChangeBody = BodyOf<typeof streamRoutes.changeStream>;
