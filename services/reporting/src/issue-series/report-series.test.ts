import type { HttpRefusal } from '@countersign/http-edge';
import type { Issuer } from '../issue-report/issue.js';
import { ReportSeries } from './report-series.js';

const ID = '0198a1b2-0000-4000-8000-00000000000f';
const body = { reportIds: [ID] };

describe('series that are issued', () => {
  let answer: (() => void)[];
  let series: ReportSeries;
  beforeEach(() => {
    answer = [];
    // Finds no report, once it is allowed to.
    const store = { report: () => new Promise((found) => answer.push(() => found(null))) };
    series = new ReportSeries({ store } as unknown as Issuer, (accountId) => accountId);
  });

  const issue = async (accountId: string): Promise<unknown> => {
    try {
      return await series.issue({ accountId, userId: 'u', email: 'a@b.example' }, body);
    } catch (error) {
      const { status, message, headers } = error as HttpRefusal;
      return [status, message, headers?.['retry-after']];
    }
  };
  const BUSY = [503, 'other series are under way: try again when they have ended', '10'];
  const NONE = [404, `no report ${ID}`, undefined];

  it('are one of an account at a time, and the next one once it has ended', async () => {
    const first = issue('a');
    expect(await issue('a')).toEqual(BUSY);
    answer[0]!();
    expect(await first).toEqual(NONE);
    const next = issue('a');
    answer[1]!();
    expect(await next).toEqual(NONE);
  });

  it('are four of all accounts at a time', async () => {
    const all = ['a', 'b', 'c', 'd'].map(issue);
    expect(await issue('e')).toEqual(BUSY);
    for (const one of answer) one();
    expect(await Promise.all(all)).toEqual(Array(4).fill(NONE));
  });

  it('are refused by their body first', async () => {
    const refused = series.issue({ accountId: 'a', userId: 'u', email: 'a@b.example' }, { reportIds: [] });
    await expect(refused).rejects.toMatchObject({ status: 400 });
  });
});
