import type { ServerResponse } from 'node:http';
import type { ArgumentsHost, ExceptionFilter } from '@nestjs/common';
import { Catch } from '@nestjs/common';
import { throwError } from 'rxjs';
import type { Observable } from 'rxjs';

/** Hands what a handler throws to the edge, which alone turns errors into answers. */
@Catch()
export class EdgeFilter implements ExceptionFilter {
  readonly #report: (response: ServerResponse, error: unknown) => void;

  constructor(report: (response: ServerResponse, error: unknown) => void) {
    this.#report = report;
  }

  catch(error: unknown, host: ArgumentsHost): void {
    this.#report(host.switchToHttp().getResponse<ServerResponse>(), error);
  }
}

/** Keeps a consumer's error as it is, so that the transport sees why a batch failed. */
@Catch()
export class ConsumerFilter implements ExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}
