import { readFileSync } from 'node:fs';
import { FRAMEWORKS, type Framework, type SignedPackage } from '@countersign/contracts';
import { canonicalize, STATUS_VERDICTS, verifyPackage } from '@countersign/evidence';
import { SITUATIONS } from '../mapping/situation.js';
import { goldenOptions, goldenPackage } from './golden-packages.test-kit.js';

const golden = (framework: Framework): SignedPackage =>
  JSON.parse(readFileSync(new URL(`../../golden/${framework}.json`, import.meta.url), 'utf8')) as SignedPackage;

describe.each(FRAMEWORKS)('the golden package of %s', (framework) => {
  const kept = golden(framework);

  it('is issued again, byte for byte', async () => {
    expect(canonicalize(await goldenPackage([framework]))).toBe(canonicalize(kept));
  });

  it('verifies with its key and its chain', () => {
    const result = verifyPackage(kept, goldenOptions());
    expect(result.problems).toEqual([]);
    expect(result).toMatchObject({ ok: true, anchoredCount: kept.events.length - 2, unanchoredCount: 2 });
    expect(result.signature).toMatchObject({ checked: true, valid: true });
  });

  it('holds every status, its own wording, and no control of another framework', () => {
    const reasons = new Set(kept.events.map(({ statusReason }) => statusReason));
    // Its leaves are of version 1.
    const {
      unproven: _never,
      unanswered: _none,
      ungoverned: _of2,
      undecided: _also2,
      tooFew: _too2,
      ...occurring
    } = STATUS_VERDICTS;
    expect(reasons).toEqual(new Set(Object.values(occurring).map(({ statusReason }) => statusReason)));
    expect(kept.statements.map((statement) => statement.framework)).toEqual([framework]);
    const controls = kept.events.flatMap((event) => event.controls.map((control) => ({ event, control })));
    expect(controls.length).toBeGreaterThan(SITUATIONS.length / 2);
    for (const { event, control } of controls) {
      expect(control).toMatchObject({ framework, status: event.status });
    }
  });

  it('is refused if any of its controls is left out or reworded, and names the difference', () => {
    const [first, ...others] = kept.events[1]!.controls;
    const changed: readonly SignedPackage[] = [
      { ...kept, events: kept.events.with(1, { ...kept.events[1]!, controls: others }) },
      {
        ...kept,
        events: kept.events.with(1, { ...kept.events[1]!, controls: [{ ...first!, controlId: 'X' }, ...others] }),
      },
      { ...kept, statements: [{ framework, text: `${kept.statements[0]!.text} It is certified.` }] },
    ];
    for (const one of changed) {
      const codes = verifyPackage(one, goldenOptions()).problems.map(({ code }) => code);
      expect(codes).toEqual(expect.arrayContaining(['signature-invalid', 'sha256-differs']));
    }
  });
});
