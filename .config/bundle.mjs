/**
 * Writes everything that `npm start` runs and serves, from the TypeScript sources, after linking packages that were added:
 * `node .config/bundle.mjs`. No types are checked; `npm run build` does that first.
 */
import './link-packages.mjs';

/** Independent of each other. */
await Promise.all([
  import('../services/standalone/bundle.mjs'),
  import('../services/console/web/bundle.mjs'),
  import('../services/verification/page/bundle.mjs'),
  import('../libs/evidence/browser/bundle.mjs'),
  import('../libs/rules/browser/bundle.mjs'),
  import('../libs/redecide/browser/bundle.mjs'),
]);
