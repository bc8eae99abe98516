import type { ServerResponse } from 'node:http';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { Catch } from '@nestjs/common';
import { throwError } from 'rxjs';
import type { Observable } from 'rxjs';

/**
 * Passes errors on unchanged: those of routes to the edge, which alone turns errors into responses; those of consumers to
 * the transport, which reports why a batch failed.
 */
@Catch()
export class PassOnFilter implements ExceptionFilter {
  readonly #toEdge: (response: ServerResponse, error: unknown) => void;

  constructor(toEdge: (response: ServerResponse, error: unknown) => void) {
    this.#toEdge = toEdge;
  }

  catch(error: unknown, host: ArgumentsHost): Observable<never> | undefined {
    if (host.getType() === 'rpc') return throwError(() => error);
    this.#toEdge(host.switchToHttp().getResponse<ServerResponse>(), error);
    return undefined;
  }
}
