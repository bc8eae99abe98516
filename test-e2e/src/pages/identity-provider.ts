import { once } from 'node:events';
import { createServer } from 'node:http';
import type { RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A provider of OpenID Connect for tests: anyone signs in with any password, as the person of the name that was typed. */
export interface IdentityProvider {
  readonly issuer: string;
  /** `host:port` */
  readonly host: string;
  readonly client: { readonly id: string; readonly secret: string };
  /** Begins to answer, for one client. @param redirectUri of the client */
  serve(redirectUri: string): Promise<void>;
  close(): Promise<void>;
}

/** A package without types of its own. */
const PACKAGE: string = 'oidc-provider';

interface ProviderModule {
  readonly Provider: new (issuer: string, configuration: object) => { callback(): RequestListener };
}

/** Listens at `localhost`: to a browser that has the console at 127.0.0.1 it is another site. */
export async function startIdentityProvider(): Promise<IdentityProvider> {
  let answer: RequestListener = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => answer(request, response));
  await once(server.listen(0, 'localhost'), 'listening');
  const host = `localhost:${(server.address() as AddressInfo).port}`;
  const issuer = `http://${host}`;
  const client = { id: 'countersign', secret: 'a-secret-of-the-client' };
  return {
    issuer,
    host,
    client,
    async serve(redirectUri) {
      const { Provider } = (await import(PACKAGE)) as ProviderModule;
      const provider = new Provider(issuer, {
        clients: [{ client_id: client.id, client_secret: client.secret, redirect_uris: [redirectUri] }],
        claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['groups'] },
        cookies: { keys: ['a key of this test'] },
        findAccount: (_context: unknown, name: string) => ({
          accountId: name,
          claims: () => ({ sub: name, email: `${name}@else.example`, email_verified: true, groups: ['auditors'] }),
        }),
      });
      answer = provider.callback();
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
