import { Controller, Inject } from '@nestjs/common';
import { reportShareRoutes, type PageQuery, type ShareBody } from '@countersign/contracts';
import { HttpAnswer, type RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { REPORT_SHARES, type ReportShares, type SharedReport } from '../sharing/report-shares.js';

/** For the holder of a link: neither caches nor search engines keep the report, and no page learns the link. */
const FOR_HOLDERS = {
  'cache-control': 'no-store',
  'x-robots-tag': 'noindex, nofollow, noarchive',
  'referrer-policy': 'no-referrer',
} as const;

@Controller()
export class ReportSharesController {
  readonly #shares: ReportShares;
  constructor(@Inject(REPORT_SHARES) shares: ReportShares) {
    this.#shares = shares;
  }

  @HttpRoute(reportShareRoutes.shareReport)
  create(@Input() { caller, params, body }: RouteInput<ShareBody>): Promise<unknown> {
    return this.#shares.create(caller, params['id']!.toLowerCase(), body);
  }

  @HttpRoute(reportShareRoutes.listShares)
  list(@Input() { caller, params, query }: RouteInput<unknown, PageQuery>): Promise<unknown> {
    return this.#shares.list(caller, params['id']!.toLowerCase(), query.limit, query.offset);
  }

  @HttpRoute(reportShareRoutes.revokeShare)
  revoke(@Input() { caller, params }: RouteInput): Promise<void> {
    return this.#shares.revoke(caller, params['id']!.toLowerCase(), params['shareId']!.toLowerCase());
  }

  @HttpRoute(reportShareRoutes.getSharedReport)
  async read(@Input() { params, remoteAddress, sent }: RouteInput<unknown, unknown, null>): Promise<HttpAnswer> {
    const token = params['token']!;
    if (sent.method === 'HEAD') {
      const looked = await this.#shares.look(token);
      // No length: it is not known without the bytes.
      return HttpAnswer.stream(200, typeOf(looked), nothing(), headersOf(looked));
    }
    const shared = await this.#shares.read(token, remoteAddress);
    return HttpAnswer.text(200, typeOf(shared), shared.bytes, headersOf(shared));
  }
}

type Described = Pick<SharedReport, 'form' | 'reportId'>;

function typeOf({ form }: Described): string {
  return form === 'pdf' ? 'application/pdf' : 'application/json';
}

function headersOf({ form, reportId }: Described): Readonly<Record<string, string>> {
  const ending = form === 'pdf' ? 'pdf' : 'json';
  return {
    ...FOR_HOLDERS,
    'x-report-id': reportId,
    'content-disposition': `attachment; filename="countersign-report-${reportId}.${ending}"`,
  };
}

async function* nothing(): AsyncGenerator<string> {}
