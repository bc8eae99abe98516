import { eraseEvents, readEventIds, withdrawnBy } from './erase-events.js';

const id = (n: number): string => `019cadfd-8ce8-7236-8bc1-${n.toString(16).padStart(12, '0')}`;

describe('a list of erasures', () => {
  it('is read line by line, each event once', () => {
    const text = `# kept with the backup\r\n${id(1)}\n\n  ${id(2).toUpperCase()} 2026-03-01 by request\n${id(1)}\n`;
    expect(readEventIds(text)).toEqual([id(1), id(2)]);
    expect(readEventIds('')).toEqual([]);
  });

  it.each(['not-an-id', `x${id(1)}`, `${id(1)},${id(2)}`])('reports a line without an event id: %s', (line) => {
    expect(() => readEventIds(`${id(1)}\n${line}\n`)).toThrow('line 2 begins with no event id');
  });

  it('is sent one by one, retried after 503, and reports refusals', async () => {
    const asked: string[] = [];
    const answers = [204, 503, 503, 204, 404];
    const remove = async (path: string) => {
      asked.push(path);
      return { status: answers.shift()!, text: '{"error":"no such event"}' };
    };
    expect(await eraseEvents([id(1), id(2), id(3)], remove, undefined, 0)).toEqual({
      erased: 2,
      refused: [`${id(3)}: 404 {"error":"no such event"}`],
    });
    expect(asked).toEqual([1, 2, 2, 2, 3].map((n) => `/v1/events/${id(n)}/content`));
  });

  it('gives up an event that stays unfinished, and continues', async () => {
    let asked = 0;
    const remove = async (path: string) => {
      asked += 1;
      return { status: path.includes(id(1)) ? 503 : 204, text: 'ask again' };
    };
    expect(await eraseEvents([id(1), id(2)], remove, undefined, 0)).toEqual({
      erased: 1,
      refused: [`${id(1)}: 503 ask again`],
    });
    expect(asked).toBe(11);
  });

  it('takes a reason along', async () => {
    const asked: string[] = [];
    const remove = async (path: string) => {
      asked.push(path);
      return { status: 204, text: '' };
    };
    await eraseEvents([id(1)], remove, 'request 7 & more', 0);
    expect(asked).toEqual([`/v1/events/${id(1)}/content?reason=request%207%20%26%20more`]);
  });

  it('is previewed by the reports that it withdraws, each once, page by page', async () => {
    const report = (n: number) => ({ id: `r${n}`, createdAt: '2026-03-01T00:00:00.000Z', title: null });
    const of: Readonly<Record<string, readonly number[]>> = {
      [id(1)]: Array.from({ length: 150 }, (_r, n) => n),
      [id(2)]: [7, 200],
    };
    const ask = async (path: string) => {
      const query = new URL(path, 'http://localhost').searchParams;
      const all = of[query.get('opens')!];
      if (all === undefined) return { status: 404, text: '{"error":"no such event"}' };
      const [from, limit] = [Number(query.get('offset')), Number(query.get('limit'))];
      return {
        status: 200,
        text: JSON.stringify({ reports: all.slice(from, from + limit).map(report), total: all.length }),
      };
    };
    const { reports, refused } = await withdrawnBy([id(1), id(2), id(3)], ask);
    expect(reports.map((one) => one.id).sort()).toEqual([...of[id(1)]!, 200].map((n) => `r${n}`).sort());
    expect(refused).toEqual([`${id(3)}: 404 {"error":"no such event"}`]);
  });
});
