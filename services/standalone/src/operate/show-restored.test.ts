import { showRestored } from './show-restored.js';

describe('what a restore shows', () => {
  it('lists for each service what was taken and what was lost', () => {
    const text = showRestored(
      [
        { name: 'anchoring', adopted: ['2 windows', '2 anchors'], lost: [] },
        { name: 'policy', adopted: [], lost: ['a package'] },
      ],
      false,
    );
    expect(text.split('\n').slice(0, 7)).toEqual([
      'Taken from the topics:',
      'anchoring   2 windows',
      '            2 anchors',
      'policy      nothing: it has the published state',
      '',
      'Lost since the copy:',
      '- a package',
    ]);
  });

  it('marks a dry run, names no loss if there is none, and limits its length', async () => {
    const adopted = Array.from({ length: 1_000 }, (_, n) => `agent ${n}`);
    const text = showRestored([{ name: 'policy', adopted, lost: [] }], true);
    expect(text).toMatch(/^Would be taken/);
    expect(text).not.toContain('Lost since');
    expect(text).toContain('agent 199\n            and 800 more\n');
    expect(text).toContain('- users: added, removed');
  });
});
