import { eventually, type Answer } from '../instance/request.js';
import type { Anchored } from './report-pdf.test-cases.js';

/** Reports that their account publishes, from a running instance. */
export function publicReportCases(given: () => Anchored): void {
  it('shows a report to everyone while its account allows it, and never before and after', async () => {
    const { instance, session, agentId } = given();
    const issued = await instance.request('POST', '/v1/events/export-signed', {
      headers: session,
      body: {
        agentIds: [agentId],
        format: 'json',
        frameworks: ['soc2'],
        from: new Date(Date.now() - 3_600_000).toISOString(),
        to: new Date(Date.now() + 60_000).toISOString(),
      },
    });
    const id = String(issued.headers['x-report-id']);
    const path = `/v1/reports/${id}/public`;
    const ask = (headers: Record<string, string> = {}): Promise<Answer> => instance.request('GET', path, { headers });
    const becomes = (status: number, headers: Record<string, string> = {}): Promise<Answer> =>
      eventually(`${path} is ${status}`, 30, async () => {
        const answer = await ask(headers);
        return answer.status === status ? answer : null;
      });
    const set = async (isPublic: boolean): Promise<void> => {
      const body = { public: isPublic };
      const { status, json } = await instance.request('PATCH', `/v1/reports/${id}`, { headers: session, body });
      expect([status, json]).toEqual([200, expect.objectContaining({ id, public: isPublic })]);
    };

    expect((await ask()).status).toBe(404);
    expect((await ask(session)).status).toBe(404);
    await set(true);
    const open = await becomes(200);
    expect(open.text).toBe(issued.text);
    const tag = { 'if-none-match': String(open.headers['etag']) };
    expect([(await ask(tag)).status, (await ask(tag)).text]).toEqual([304, '']);
    const { json: page } = await instance.request('GET', '/v1/reports?limit=1', { headers: session });
    expect((page as { reports: unknown[] }).reports[0]).toMatchObject({ id, public: true });
    await set(false);
    expect((await becomes(404, tag)).json).toEqual({ error: 'there is no public report with this id' });
    expect((await instance.request('GET', `/v1/reports/${id}`, { headers: session })).text).toBe(issued.text);
    expect((await instance.request('GET', '/v1/reports/none/public')).status).toBe(400);
  });
}
