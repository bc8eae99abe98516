import { BackgroundLoop } from '@countersign/async';
import type { ServiceContext } from '@countersign/service-kit';
import type { Equivocation } from './judge-memo.js';
import type { AnchorStore } from '../store/port.js';
import { AuthorityWatch } from './authority-watch.js';

const EVERY_MS = 60_000;
/** Where a look did not come to its end. */
const AGAIN_MS = 1_000;

/** Looks at the authority's transactions once a minute. A chain that is out of reach is looked at later. */
export function watchLoop(
  context: Pick<ServiceContext, 'chain' | 'log'>,
  store: Pick<AnchorStore, 'rootAt'>,
  authority: string,
  equivocated: (kind: Equivocation) => void,
): BackgroundLoop {
  let watch: AuthorityWatch | null = null;
  return new BackgroundLoop(
    async () => {
      const { log } = context;
      watch ??= new AuthorityWatch({ chain: await context.chain(), store, authority, log, equivocated });
      return (await watch.look()) ? EVERY_MS : AGAIN_MS;
    },
    (error) => {
      context.log.warn({ err: error }, "the authority's transactions could not be looked at");
      return EVERY_MS;
    },
  );
}
