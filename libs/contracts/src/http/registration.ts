import { agentRecord } from './agent-record.js';
import { bodyErrors, error, sessionErrors, uuid } from './fragments.js';
import { nullable, object, type BodyOf, type JsonOf } from './json-schema.js';
import { route } from './route.js';

/** 32 bytes in base58. */
const walletAddress = { type: 'string', pattern: '^[1-9A-HJ-NP-Za-km-z]{32,44}$' } as const;
/** 64 bytes in base58. */
const transactionSignature = { type: 'string', pattern: '^[1-9A-HJ-NP-Za-km-z]{64,88}$' } as const;

const registrationTransaction = object({
  transaction: nullable({
    type: 'string',
    description: 'base64, unsigned; the wallet is its fee payer and signer; null without walletAddress',
  }),
  memo: { type: 'string', description: 'text of the one memo of the transaction' },
  programId: { type: 'string', description: 'address of the SPL Memo program' },
  recentBlockhash: nullable({ type: 'string' }),
  lastValidBlockHeight: nullable({
    type: 'integer',
    description: 'block height of the chain after which the transaction cannot be included',
  }),
});

/** Transaction for a wallet to sign; without its address, only the parts that are the same for every wallet. */
export type RegistrationDraft = JsonOf<typeof registrationTransaction>;

const service = 'policy' as const;
const tag = 'Agents';
const noAgent = error('no such agent');
const tooManyLookups = {
  ...error('too many chain lookups of the account, or too many at once'),
  headers: { 'Retry-After': 'seconds until the next lookup is accepted' },
};

/** Registration of an agent on the chain by the user's own wallet. */
export const registrationRoutes = {
  registrationTransaction: route({
    service,
    method: 'GET',
    path: '/v1/agents/{id}/registration-tx',
    operationId: 'registrationTransaction',
    summary: 'A transaction for a wallet to sign and submit, and the memo that registers the agent',
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    query: { walletAddress },
    success: 200,
    responses: {
      200: { description: 'the transaction; changes nothing', schema: registrationTransaction },
      400: bodyErrors[400],
      ...sessionErrors,
      404: noAgent,
      409: error('the agent is registered already or inactive: no wallet has to pay'),
      429: tooManyLookups,
      503: error('the chain cannot be reached now'),
    },
  }),
  registerSelfCustody: route({
    service,
    method: 'POST',
    path: '/v1/agents/{id}/register-blockchain-self-custody',
    operationId: 'registerSelfCustody',
    summary: 'Registers an agent by a finalized transaction of the user’s wallet',
    tag,
    auth: 'session',
    role: 'member',
    params: { id: uuid },
    body: object({ walletAddress, transactionSignature }),
    success: 200,
    responses: {
      200: { description: 'the agent, registered', schema: agentRecord },
      ...bodyErrors,
      400: error('malformed, or the transaction does not register this agent; the text says why'),
      ...sessionErrors,
      404: noAgent,
      409: {
        ...error(
          'the agent is registered already or inactive, the transaction registered another agent, or, with Retry-After, ' +
            'the chain does not have it yet or has not finalized it',
        ),
        headers: { 'Retry-After': 'seconds, if the same request may be accepted later' },
      },
      429: tooManyLookups,
      503: error('the chain cannot be reached now, or the change could not be made durable or published'),
    },
  }),
};

/** The wallet, and the transaction that it signed, paid for and submitted. */
export type WalletRegistration = BodyOf<typeof registrationRoutes.registerSelfCustody>;
