import { createParamDecorator, HttpCode, RequestMapping, RequestMethod, applyDecorators } from '@nestjs/common';
import type { ExecutionContext } from '@nestjs/common';
import type { IncomingMessage } from 'node:http';
import type { Route } from '@countersign/contracts';
import { inputOf } from '@countersign/http-edge';

/** The path by which Express knows a route. The edge has matched the real path, so Express matches no text of a client. */
export function internalPath(route: Route): string {
  return `/${route.operationId}`;
}

/** Binds a controller method to a route of contracts, which sets method, path and status; the edge has checked the request. */
export function HttpRoute(route: Route): MethodDecorator {
  return applyDecorators(
    RequestMapping({ method: RequestMethod[route.method], path: internalPath(route) }),
    HttpCode(route.success),
  );
}

const inputDecorator = createParamDecorator((_data: unknown, context: ExecutionContext) =>
  inputOf(context.switchToHttp().getRequest<IncomingMessage>()),
);

/** Injects the `RouteInput` of the request. */
export function Input(): ParameterDecorator {
  return inputDecorator();
}
