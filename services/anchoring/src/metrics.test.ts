import { Registry } from 'prom-client';
import { anchoringMetrics } from './metrics.js';

const WAITING = 'countersign_anchor_windows_waiting';
const AGE = 'countersign_anchor_last_window_age_seconds';
const LAMPORTS = 'countersign_authority_lamports';
const CADENCE = 'countersign_anchor_shortest_cadence_seconds';

describe('metrics of anchoring', () => {
  let leads = false;
  let nowMs = 100_000;
  const registry = new Registry();
  const metrics = anchoringMetrics(
    registry,
    () => nowMs,
    () => leads,
  );
  const shown = async (): Promise<Readonly<Record<string, string>>> => {
    const lines = (await registry.metrics())
      .split('\n')
      .filter((line) => /^countersign_(anchor(ing_leads|_[wls])|authority)/.test(line));
    return Object.fromEntries(lines.map((line) => line.split(' ') as [string, string]));
  };

  it('tell of windows while the instance anchors, of nothing that it knew before while it stands by', async () => {
    expect(await shown()).toEqual({ countersign_anchoring_leads: '0' });
    metrics.waiting({ windows: 3, lastAnchoredEndMs: null });
    expect(await shown()).toEqual({ countersign_anchoring_leads: '0' });

    leads = true;
    expect(await shown()).toEqual({ countersign_anchoring_leads: '1', [WAITING]: '3' });
    metrics.waiting({ windows: 0, lastAnchoredEndMs: 90_000 });
    expect(await shown()).toEqual({ countersign_anchoring_leads: '1', [WAITING]: '0', [AGE]: '10' });
    nowMs += 5000;
    expect(await shown()).toMatchObject({ [AGE]: '15' });

    leads = false;
    expect(await shown()).toEqual({ countersign_anchoring_leads: '0' });
  });

  it('report balance and shortest cadence while the instance anchors', async () => {
    metrics.funded(995_000);
    metrics.cadence(1);
    expect(await shown()).toEqual({ countersign_anchoring_leads: '0' });
    leads = true;
    expect(await shown()).toMatchObject({ [LAMPORTS]: '995000', [CADENCE]: '1' });
    metrics.cadence(null);
    expect(await shown()).not.toHaveProperty(CADENCE);
    leads = false;
  });
});
