import { effectiveCadence } from './effective-cadence.js';

const open = (numbers: Readonly<Record<number, number>>) => (cadence: number) => numbers[cadence] ?? 1;

describe('effectiveCadence', () => {
  it('is the stamped one for an agent without leaves', () => {
    expect(effectiveCadence(null, 300, open({}))).toBe(300);
  });

  it('stays the old one while the window with the agent is open', () => {
    expect(effectiveCadence({ cadenceSeconds: 3600, windowNumber: 4 }, 1, open({ 3600: 4 }))).toBe(3600);
  });

  it('becomes the stamped one after the cut that ends that window', () => {
    expect(effectiveCadence({ cadenceSeconds: 3600, windowNumber: 4 }, 1, open({ 3600: 5 }))).toBe(1);
  });
});
