import { Controller, Inject } from '@nestjs/common';
import { reportShareRoutes, type PageQuery, type ShareBody } from '@countersign/contracts';
import { HttpAnswer, type RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import { REPORT_SHARES, type ReportShares } from '../sharing/report-shares.js';

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
    return this.#shares.revoke(caller.accountId, params['id']!.toLowerCase(), params['shareId']!.toLowerCase());
  }

  @HttpRoute(reportShareRoutes.getSharedReport)
  async read(@Input() { params, remoteAddress }: RouteInput<unknown, unknown, null>): Promise<HttpAnswer> {
    const { reportId, form, bytes } = await this.#shares.read(params['token']!, remoteAddress);
    const [type, ending] = form === 'pdf' ? ['application/pdf', 'pdf'] : ['application/json', 'json'];
    return HttpAnswer.text(200, type, bytes, {
      ...FOR_HOLDERS,
      'x-report-id': reportId,
      'content-disposition': `attachment; filename="countersign-report-${reportId}.${ending}"`,
    });
  }
}
