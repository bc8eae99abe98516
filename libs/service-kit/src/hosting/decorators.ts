import { createParamDecorator, HttpCode, RequestMapping, RequestMethod, applyDecorators } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { Route } from '@countersign/contracts';
import { inputOf } from '../edge/route-input.js';

/** Path in Express form: `/v1/agents/{id}` becomes `/v1/agents/:id`. */
export function expressPath(path: string): string {
  return path.replace(/\{([A-Za-z]\w*)\}/g, ':$1');
}

/** Binds a controller method to a route of contracts: method, path and status come from it, the edge has checked the rest. */
export function HttpRoute(route: Route): MethodDecorator {
  return applyDecorators(
    RequestMapping({ method: RequestMethod[route.method], path: expressPath(route.path) }),
    HttpCode(route.success),
  );
}

const inputDecorator = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  inputOf(context.switchToHttp().getRequest<IncomingMessage>()),
);

/** The `RouteInput` of the request. */
export function Input(): ParameterDecorator {
  return inputDecorator();
}
