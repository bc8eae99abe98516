import type { Route } from './route.js';

/** anchoring answers no request of its own: its facts are on the topic `anchors` and behind `ProofSource`. */
export const anchoringRoutes = {} as const satisfies Readonly<Record<string, Route>>;
