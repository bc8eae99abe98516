import { readFileSync } from 'node:fs';
import type { SignedPackage } from '@countersign/contracts';
import { reportFacts, runsText } from './report-facts.js';

const file = new URL('../../../../libs/evidence/vectors/valid-small.json', import.meta.url);
const { package: content } = JSON.parse(readFileSync(file, 'utf8')) as { readonly package: SignedPackage };

describe('the figures of a report', () => {
  it('list for each agent the present numbers, and that none is missing', () => {
    expect(
      reportFacts(content).agents.map(({ label, runs, missing, count }) => [label, runsText(runs), missing, count]),
    ).toEqual([
      ['A1', '3–7', [], 5],
      ['A2', '1', [], 1],
    ]);
  });

  it('name the number of an entry that was left out, whatever the package claims', () => {
    const without = content.events.findIndex(
      ({ sequence, event }) => sequence === 5 && event.agentId === content.agents[0]!.id,
    );
    const cut = {
      ...content,
      events: content.events.filter((_event, i) => i !== without),
      inclusionProofs: content.inclusionProofs.filter((_proof, i) => i !== without),
    };
    const [agent] = reportFacts(cut).agents;
    expect([runsText(agent!.runs), runsText(agent!.missing)]).toEqual(['3–4, 6–7', '5']);
  });

  it('put each event into one group, and count a control by its groups', () => {
    const facts = reportFacts(content);
    expect(facts.groups.reduce((sum, { count }) => sum + count, 0)).toBe(content.events.length);
    for (const framework of content.frameworks) {
      for (const { controlId, counts } of facts.controls(framework)) {
        const speaking = content.events.filter(({ controls }) =>
          controls.some((control) => control.framework === framework && control.controlId === controlId),
        );
        expect(Object.values(counts).reduce((sum, count) => sum + count)).toBe(speaking.length);
      }
      const mapped = content.events.filter(({ controls }) => controls.some((one) => one.framework === framework));
      expect(facts.unmapped(framework)).toBe(content.events.length - mapped.length);
    }
  });

  it('include the outcomes reported for a check', () => {
    const outcome = content.events.find(({ event }) => event.type === 'action.outcome')!;
    expect(reportFacts(content).referring.get(outcome.event.refersTo!)).toEqual([outcome]);
  });
});
