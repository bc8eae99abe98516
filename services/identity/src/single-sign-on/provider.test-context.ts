import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose';

export const CLIENT = { id: 'countersign', secret: 'a secret of the client' } as const;

export type Claims = Readonly<Record<string, unknown>>;

interface Given {
  readonly claims: Claims;
  readonly challenge: string;
  readonly redirectUri: string;
}

/** How the provider behaves from now on, as a hostile or a broken one may. */
export interface Behaviour {
  /** Members of the ID token in place of its own; `undefined` leaves one out. */
  idToken?: Claims;
  /** Default: signed by its key. */
  signature?: 'none' | 'by another key';
  /** Status in place of every answer. */
  status?: number;
  /** Of its description. */
  issuer?: string;
  /** Claims that only UserInfo has. */
  userInfo?: Claims;
}

export interface TestProvider {
  readonly issuer: string;
  readonly host: string;
  readonly behaviour: Behaviour;
  /** The path of each request. */
  readonly asked: string[];
  /** Signs a person in. @param location where the browser was sent @returns the query with which it comes back */
  authorize(location: string, claims: Claims): URLSearchParams;
  close(): Promise<void>;
}

/** A provider of OpenID Connect on this machine, which checks client, code, redirect URI and PKCE. */
export async function startProvider(): Promise<TestProvider> {
  const own = await generateKeyPair('RS256');
  const other = await generateKeyPair('RS256');
  const key = { ...(await exportJWK(own.publicKey)), kid: 'one', alg: 'RS256', use: 'sig' };
  const behaviour: Behaviour = {};
  const codes = new Map<string, Given>();
  const asked: string[] = [];
  let issuer = '';
  let signedIn: unknown = null;

  const idTokenOf = async ({ claims }: Given): Promise<string> => {
    const now = Math.floor(Date.now() / 1000);
    const standard = { iss: issuer, aud: CLIENT.id, iat: now, exp: now + 300 };
    const payload = JSON.parse(JSON.stringify({ ...standard, ...claims, ...behaviour.idToken })) as object;
    if (behaviour.signature === 'none') return new UnsecuredJWT({ ...payload }).encode();
    const signer = behaviour.signature === 'by another key' ? other : own;
    return new SignJWT({ ...payload }).setProtectedHeader({ alg: 'RS256', kid: 'one' }).sign(signer.privateKey);
  };
  const tokensFor = async (form: URLSearchParams, authorization: string): Promise<[number, object]> => {
    const basic = Buffer.from(`${CLIENT.id}:${encodeURIComponent(CLIENT.secret).replaceAll('%20', '+')}`);
    if (authorization !== `Basic ${basic.toString('base64')}`) return [401, { error: 'invalid_client' }];
    const given = codes.get(form.get('code') ?? '');
    codes.delete(form.get('code') ?? '');
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url');
    if (given?.challenge !== challenge || given.redirectUri !== form.get('redirect_uri')) {
      return [400, { error: 'invalid_grant' }];
    }
    signedIn = given.claims['sub'];
    return [200, { access_token: 'an-access-token', token_type: 'Bearer', id_token: await idTokenOf(given) }];
  };
  const answerTo = async (path: string, form: URLSearchParams, authorization: string): Promise<[number, object]> => {
    if (path === '/.well-known/openid-configuration') {
      return [
        200,
        {
          issuer: behaviour.issuer ?? issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/jwks`,
          response_types_supported: ['code'],
          subject_types_supported: ['public'],
          id_token_signing_alg_values_supported: ['RS256', 'none'],
          authorization_response_iss_parameter_supported: true,
        },
      ];
    }
    if (path === '/jwks') return [200, { keys: [key] }];
    if (path === '/token') return tokensFor(form, authorization);
    return path === '/userinfo' ? [200, behaviour.userInfo ?? { sub: signedIn }] : [404, {}];
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const path = request.url ?? '';
      asked.push(path);
      const form = new URLSearchParams(Buffer.concat(chunks).toString());
      const { authorization = '' } = request.headers;
      const { status: failed } = behaviour;
      const answered =
        failed === undefined ? answerTo(path, form, authorization) : Promise.resolve([failed, {}] as const);
      void answered.then(([status, body]) => {
        response.writeHead(status, { 'content-type': 'application/json' });
        response.end(JSON.stringify(body));
      });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  issuer = `http://${host}`;
  return {
    issuer,
    host,
    behaviour,
    asked,
    authorize(location, claims) {
      const query = new URL(location).searchParams;
      const code = randomBytes(16).toString('hex');
      codes.set(code, {
        claims: { nonce: query.get('nonce'), ...claims },
        challenge: query.get('code_challenge')!,
        redirectUri: query.get('redirect_uri')!,
      });
      return new URLSearchParams({ code, state: query.get('state')!, iss: issuer });
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
