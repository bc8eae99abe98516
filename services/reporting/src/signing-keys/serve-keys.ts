import { join } from 'node:path';
import type { SigningKeyFacts } from '@countersign/contracts';
import { nodeCrypto } from '@countersign/process/node-crypto';
import type { ServiceContext, SigningKeyOperator } from '@countersign/service-kit';
import { Projection, TopicTail } from '@countersign/topics';
import { observeKeyAge } from './key-age.js';
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
 * Opens the keys, follows their topic, and offers them to the operator of the installation.
 * @throws as `openSigningKeys`
 */
export async function serveKeys(context: ServiceContext): Promise<ServedKeys> {
  const { keys, ring } = await openSigningKeys({ ...context, ...placeOf(context.directory) });
  const published = await Projection.follow<SigningKeyFacts>(context, 'signing-keys');
  const tail = await followTail(context, ring);
  const watch = new KeyWatch(ring, published, context.log);
  observeKeyAge(context.metrics, published, context.clock);
  context.provide('signing-key-operator', keys);
  return {
    forReport: () => keys.forReport(published),
    problem: () => watch.problem(),
    async stop() {
      await watch.stop();
      await tail?.stop();
      await published.stop();
    },
  };
}

/**
 * For a stopped instance whose log is open: no service needs to run. Lost keys in use do not prevent operator commands:
 * they can be rotated away and revoked, so that the next start no longer needs them.
 * @param directory folder of this service
 * @throws as `openSigningKeys`
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

/** Follows the topic to repair its order; not needed if a single process writes it. */
async function followTail(context: ServiceContext, ring: Keyring): Promise<TopicTail | null> {
  if (context.config.profile === 'embedded') return null;
  return TopicTail.follow(context, 'signing-keys', async (keyId) => {
    const key = (await ring.read()).keys.find(({ id }) => id === keyId);
    return key === undefined ? null : { id: keyId, version: key.version, value: key.facts };
  });
}
