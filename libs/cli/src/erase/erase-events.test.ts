import { eraseEvents, readEventIds } from './erase-events.js';

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
    expect(await eraseEvents([id(1), id(2), id(3)], remove, 0)).toEqual({
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
    expect(await eraseEvents([id(1), id(2)], remove, 0)).toEqual({ erased: 1, refused: [`${id(1)}: 503 ask again`] });
    expect(asked).toBe(11);
  });
});
