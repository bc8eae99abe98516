import { refusalOf } from './refusal.js';

const finding = (kind: 'refused' | 'warning', text: string) => ({ path: [], kind, text });

it('a refusal has the reason that refuses, not a warning in front of it', () => {
  expect(refusalOf([finding('warning', 'a'), finding('refused', 'b'), finding('refused', 'c')])).toBe('b');
  expect(refusalOf([finding('warning', 'a')])).toBe('a');
  expect(refusalOf([])).toBeUndefined();
});
