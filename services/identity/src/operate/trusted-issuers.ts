import { randomUUID } from 'node:crypto';
import { MOST_TRUSTED_ISSUERS } from '@countersign/contracts';
import type { JsonValue, NewTrustedIssuer, TrustedIssuer } from '@countersign/contracts';
import { HttpRefusal, type SessionCaller } from '@countersign/http-edge';
import { readPublicUrl } from '@countersign/service-kit';
import type { ServiceContext } from '@countersign/service-kit';
import type { Account } from '../domain/members.js';
import type { Publication } from '../publication.js';
import { accountChanged, byUser } from '../trail/acts.js';
import type { IdentityStore } from '../store/port.js';

const NONE: readonly TrustedIssuer[] = [];

type Caller = Pick<SessionCaller, 'accountId' | 'userId'>;

/** The issuers that an account trusts: a part of the account, so that its record carries them to every gateway. */
export class TrustedIssuers {
  constructor(
    private readonly context: Pick<ServiceContext, 'clock' | 'config'>,
    private readonly store: Pick<IdentityStore, 'account'>,
    private readonly publication: Publication,
  ) {}

  /** Oldest first. @throws HttpRefusal 401 if the account was removed */
  async list(accountId: string): Promise<readonly TrustedIssuer[]> {
    return (await this.#account(accountId)).facts.trustedIssuers ?? NONE;
  }

  /**
   * Applies to the next check once the promise resolves.
   * @throws HttpRefusal 400 if the key set is at an address that is not to be asked; 401; 409; 503
   */
  async create(caller: Caller, wanted: NewTrustedIssuer): Promise<TrustedIssuer> {
    const { clock, config } = this.context;
    const read = readPublicUrl(wanted.jwksUri, config.webhookAllowedHosts, 'jwksUri');
    if ('problem' in read) throw new HttpRefusal(400, read.problem);
    const { issuer, audience, claims, agentIds = null, required = false } = wanted;
    const created: TrustedIssuer = {
      id: randomUUID(),
      issuer,
      jwksUri: read.url.href,
      audience,
      claims: {
        agent: claims?.agent ?? null,
        principal: claims?.principal ?? 'sub',
        session: claims?.session ?? null,
      },
      agentIds: agentIds === null ? null : [...new Set(agentIds.map((id) => id.toLowerCase()))],
      required,
      createdAt: new Date(clock()).toISOString(),
    };
    await this.#change(caller, (trusted) => {
      if (trusted.some((one) => one.issuer === issuer)) {
        throw new HttpRefusal(409, 'the issuer is trusted already: remove it first');
      }
      if (trusted.length >= MOST_TRUSTED_ISSUERS) {
        throw new HttpRefusal(409, `an account trusts at most ${MOST_TRUSTED_ISSUERS} issuers: remove one first`);
      }
      return [...trusted, created];
    });
    return created;
  }

  /** @throws HttpRefusal 401; 404; 503 */
  remove(caller: Caller, id: string): Promise<void> {
    return this.#change(caller, (trusted) => {
      const rest = trusted.filter((one) => one.id !== id);
      if (rest.length === trusted.length) throw new HttpRefusal(404, 'no such trusted issuer');
      return rest;
    });
  }

  async #change(
    { accountId, userId }: Caller,
    next: (trusted: readonly TrustedIssuer[]) => readonly TrustedIssuer[],
  ): Promise<void> {
    await this.publication.change(async () => {
      const { id, version, facts } = await this.#account(accountId);
      const { trustedIssuers = NONE, ...others } = facts;
      const changed = next(trustedIssuers);
      const nextFacts = changed.length === 0 ? others : { ...others, trustedIssuers: changed };
      const names = (some: readonly TrustedIssuer[]): JsonValue => some.map(({ issuer }) => issuer);
      return {
        accounts: [{ id, version: version + 1, facts: nextFacts }],
        acts: [
          accountChanged(id, 'account.issuers_changed', byUser(userId), {
            before: names(trustedIssuers),
            after: names(changed),
          }),
        ],
      };
    });
  }

  async #account(accountId: string): Promise<Account> {
    const account = await this.store.account(accountId);
    if (account === null) throw new HttpRefusal(401, 'the account of this session is gone');
    return account;
  }
}
