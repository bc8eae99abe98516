import {
  accessRequestRoutes,
  buildOpenApi,
  consoleRoutes,
  evaluationRoutes,
  operationsRoutes,
} from '@countersign/contracts';
import type { Route } from '@countersign/contracts';
import { docsRoutes } from '../api-docs/docs-routes.js';
import { HttpAnswer, writeAnswer } from '../edge/answer.js';
import { requireScraper } from './metrics-access.js';
import type { EdgeRoute } from '../edge/edge.js';

export interface ProbeSources {
  /** Reasons why the process is not ready; empty if it is. */
  notReady(): Promise<readonly string[]> | readonly string[];
  /** Metrics of the whole process, in Prometheus text format. */
  metrics(): Promise<string>;
  /** Routes of the whole process, for the OpenAPI document. */
  routes(): Promise<readonly Route[]> | readonly Route[];
  publicUrl(): string;
  /** The bearer token for metrics; `null`: only clients on this machine may read them. */
  readonly metricsToken: string | null;
  /** Metrics are served on a port of their own, and not here. */
  readonly metricsElsewhere: boolean;
}

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

/** `/healthz`, `/readyz` and `/metrics` without credentials, for a port that outsiders cannot reach. */
export function probes(sources: Pick<ProbeSources, 'notReady' | 'metrics'>): readonly EdgeRoute[] {
  return [...health(sources), edgeRoute(operationsRoutes.metrics, () => figures(sources))];
}

function health(sources: Pick<ProbeSources, 'notReady'>): readonly EdgeRoute[] {
  return [
    edgeRoute(operationsRoutes.healthz, () => new HttpAnswer(200, { alive: true })),
    edgeRoute(operationsRoutes.readyz, async () => readiness(await sources.notReady())),
  ];
}

async function figures(sources: Pick<ProbeSources, 'metrics'>): Promise<HttpAnswer> {
  return HttpAnswer.text(200, METRICS_TYPE, await sources.metrics());
}

/** `/metrics` on the public port. */
function guardedMetrics(sources: Pick<ProbeSources, 'metrics' | 'metricsToken'>): EdgeRoute {
  return {
    route: operationsRoutes.metrics,
    handle: async (_route, request, response) => {
      requireScraper(request, sources.metricsToken);
      await writeAnswer(response, await figures(sources));
    },
  };
}

/** Operational routes of a process: probes, `/v1/openapi.json` and its page `/docs`, the AuthZEN metadata. */
export function operations(sources: ProbeSources): readonly EdgeRoute[] {
  const document = async (): Promise<HttpAnswer> => {
    const routes = [...(await sources.routes()), ...Object.values<Route>(operationsRoutes)];
    return new HttpAnswer(200, buildOpenApi(routes, sources.publicUrl()));
  };
  return [
    ...health(sources),
    ...(sources.metricsElsewhere ? [] : [guardedMetrics(sources)]),
    {
      route: operationsRoutes.root,
      handle: async (_route, request, response) => writeAnswer(response, await root(sources, request.headers.accept)),
    },
    edgeRoute(operationsRoutes.openapi, document),
    ...docsRoutes(),
    edgeRoute(operationsRoutes.authzen, () => new HttpAnswer(200, authzenConfiguration(sources.publicUrl()))),
  ];
}

/** Sends browsers to the console if this process serves it; relative, so that a path in front of it is kept. */
async function root(sources: ProbeSources, accept = ''): Promise<HttpAnswer> {
  const vary = { vary: 'accept' };
  const { path } = consoleRoutes.getConsole;
  const isBrowser = /(?:^|,)\s*text\/html\b/i.test(accept);
  if (isBrowser && (await sources.routes()).some((route) => route.path === path)) {
    return HttpAnswer.empty(302, { ...vary, location: path.slice(1) });
  }
  return new HttpAnswer(200, whatThisIs(sources.publicUrl()), vary);
}

function whatThisIs(publicUrl: string): Readonly<Record<string, string>> {
  const base = publicUrl.replace(/\/+$/, '');
  return {
    name: 'Countersign',
    description: 'Decides whether an action of an AI agent is allowed before it is done, and keeps evidence of it.',
    documentation: `${base}/docs`,
    openapi: `${base}/v1/openapi.json`,
    check: `${base}/v1/check`,
    verify: `${base}/verify`,
    ready: `${base}/readyz`,
  };
}

/**
 * AuthZEN Authorization API 1.0, section 9: the base address, and the absolute addresses of its endpoints; with those of the
 * Access Request and Approval Profile ("PDP Metadata").
 */
function authzenConfiguration(publicUrl: string): Readonly<Record<string, unknown>> {
  const base = publicUrl.replace(/\/+$/, '');
  return {
    policy_decision_point: base,
    access_evaluation_endpoint: base + evaluationRoutes.evaluation.path,
    access_evaluations_endpoint: base + evaluationRoutes.evaluations.path,
    access_request_endpoint: base + accessRequestRoutes.requestAccess.path,
    jwks_uri: base + accessRequestRoutes.accessKeys.path,
    capabilities: ['urn:openid:authzen:capability:access-request'],
  };
}

function edgeRoute(route: Route, answer: () => Promise<HttpAnswer> | HttpAnswer): EdgeRoute {
  return { route, handle: async (_route, _request, response) => writeAnswer(response, await answer()) };
}

function readiness(waitingFor: readonly string[]): HttpAnswer {
  return waitingFor.length === 0
    ? new HttpAnswer(200, { ready: true })
    : new HttpAnswer(503, { ready: false, waitingFor }, { 'retry-after': '1' });
}
