import type { Route } from './route.js';

/** anchoring has no routes: it publishes the topic `anchors` and provides `ProofSource`. */
export const anchoringRoutes = {} as const satisfies Readonly<Record<string, Route>>;
