import { join } from 'node:path';
import type { SigningKeyFacts } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { ServiceContext, SigningKeyOperator } from '@countersign/service-kit';
import { Projection, TopicTail } from '@countersign/topics';
import type { Keyring } from './keyring.js';
import { openSigningKeys } from './open-signing-keys.js';
import type { Signer } from './signer.js';
import { KeyWatch } from './watch-keys.js';

/** The signing keys of a running service. */
export interface ServedKeys {
  /** @throws SignerUnavailable */
  forReport(): Promise<Signer>;
  /** Why this instance may not sign, or `null`. */
  problem(): string | null;
  stop(): Promise<void>;
}

/**
 * Opens the keys, follows what the topic says of them, and offers them to whoever operates the installation.
 * @throws what `openSigningKeys` does
 */
export async function serveKeys(context: ServiceContext): Promise<ServedKeys> {
  const { keys, ring } = await openSigningKeys({ ...context, ...placeOf(context.directory) });
  const told = await Projection.follow<SigningKeyFacts>(context, 'signing-keys');
  const tail = await followTail(context, ring);
  const watch = new KeyWatch(ring, told, context.log);
  context.provide('signing-key-operator', keys);
  return {
    forReport: () => keys.forReport(told),
    problem: () => watch.problem(),
    async stop() {
      await watch.stop();
      await tail?.stop();
      await told.stop();
    },
  };
}

/**
 * For a stopped instance whose log is open: no service needs to run. Keys in use that are lost end no operator's work:
 * they can be rotated away and revoked, so that the next start needs them no more.
 * @param directory folder of this service
 * @throws what `openSigningKeys` does
 */
export async function operateKeys(
  context: Pick<ServiceContext, 'config' | 'eventLog' | 'clock' | 'log'>,
  directory: string,
): Promise<SigningKeyOperator> {
  return (await openSigningKeys({ ...context, ...placeOf(directory) }, 'allow')).keys;
}

function placeOf(directory: string): { readonly directory: string; readonly crypto: typeof nodeCrypto } {
  return { directory: join(directory, 'keys'), crypto: nodeCrypto };
}

/** Where one process alone writes the topic, its order is that of the changes. */
async function followTail(context: ServiceContext, ring: Keyring): Promise<TopicTail | null> {
  if (context.config.profile === 'embedded') return null;
  return TopicTail.follow(context, 'signing-keys', async (keyId) => {
    const key = (await ring.read()).keys.find(({ id }) => id === keyId);
    return key === undefined ? null : { id: keyId, version: key.version, value: key.facts };
  });
}
