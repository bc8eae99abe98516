import { issueReport, PackageTooLarge } from '../issue-report/issue.js';
import { seriesEnd } from './series-end.js';

/**
 * As `issueReport`, for the range from `request.from` up to an end that fits, `request.to` at the latest: the first
 * package of what is left of a series. It is built again with fewer events where it becomes too large.
 * @param mostEvents of the package
 */
export function issueFitting(mostEvents: number): typeof issueReport {
  return async (issuer, accountId, preparer, agents, request) => {
    const ids = agents.map(({ id }) => id);
    let maxEvents = mostEvents;
    for (;;) {
      const to = await seriesEnd(issuer.archive, ids, request.from, request.to, maxEvents);
      try {
        return await issueReport(issuer, accountId, preparer, agents, { ...request, to });
      } catch (error) {
        if (!(error instanceof PackageTooLarge) || maxEvents <= 1) throw error;
        maxEvents = Math.max(1, Math.min(error.fittingEvents, Math.floor(maxEvents / 2)));
      }
    }
  };
}
