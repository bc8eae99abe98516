import { HttpRefusal } from '@countersign/http-edge';
import { readExportRequest } from './request.js';

const GOOD = { format: 'json', frameworks: ['soc2'], from: '2026-01-01T00:00:00Z', to: '2026-02-01T00:00:00+01:00' };

function refusal(body: unknown): string {
  try {
    readExportRequest(body);
  } catch (error) {
    if (error instanceof HttpRefusal && error.status === 400) return error.message;
    throw error;
  }
  throw new Error('it was accepted');
}

describe('the body of an export', () => {
  it('is normalised: UTC with milliseconds, ids in lower case and unique', () => {
    const id = 'ABCDEF00-0000-4000-8000-000000000000';
    expect(readExportRequest({ ...GOOD, agentIds: [id, id.toLowerCase()] })).toEqual({
      agentIds: [id.toLowerCase()],
      fit: null,
      format: 'json',
      frameworks: ['soc2'],
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-31T23:00:00.000Z',
      withhold: [],
      trail: 'withheld',
    });
  });

  it.each([
    ['the singular field', { ...GOOD, framework: 'soc2' }, 'send frameworks'],
    ['no framework', { ...GOOD, frameworks: [] }, 'frameworks'],
    ['an unknown framework', { ...GOOD, frameworks: ['iso'] }, 'must be one of "soc2", "euaiact"'],
    ['another format', { ...GOOD, format: 'xml' }, 'format'],
    ['an unknown member', { ...GOOD, agents: [] }, 'agents'],
    ['no range', { format: 'json', frameworks: ['soc2'] }, 'from'],
    ['a range that ends before it begins', { ...GOOD, to: GOOD.from }, 'from must be before to'],
    ['a day that does not exist', { ...GOOD, from: '2026-13-01T00:00:00Z' }, 'from'],
    [
      'a day that the month lacks',
      { ...GOOD, from: '2026-02-30T00:00:00Z' },
      'from must be a time that the calendar has',
    ],
    ['a year before 1970', { ...GOOD, from: '0000-01-01T00:00:00.000Z' }, 'from must not be before 1970'],
    ['the end of 1969', { ...GOOD, from: '1970-01-01T00:00:00+01:00' }, 'from must not be before 1970'],
    ['a day alone', { ...GOOD, from: '2026-02-03' }, 'from must be an ISO 8601 time with a zone'],
    ['an invalid id', { ...GOOD, agentIds: ['x'] }, 'agentIds[0] must be a UUID'],
    ['no object', [], 'body'],
  ])('is refused for %s, with a helpful message', (_what, body, message) => {
    expect(refusal(body)).toContain(message);
  });
});
