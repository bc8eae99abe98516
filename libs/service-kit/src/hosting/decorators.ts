import { createParamDecorator, HttpCode, RequestMapping, RequestMethod, applyDecorators } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { Route } from '@countersign/contracts';
import { inputOf } from '@countersign/http-edge';

/** Under which path Express knows a route: the edge has matched the real one, so Express matches no caller's text. */
export function internalPath(route: Route): string {
  return `/${route.operationId}`;
}

/** Binds a controller method to a route of contracts: method, path and status come from it, the edge has checked the rest. */
export function HttpRoute(route: Route): MethodDecorator {
  return applyDecorators(
    RequestMapping({ method: RequestMethod[route.method], path: internalPath(route) }),
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
