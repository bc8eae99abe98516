import { differenceLines, profileLines } from './profile-difference.js';

const BEFORE = {
  agent_id: 'a',
  version: 1,
  mode: 'enforce',
  off_limits_actions: ['wire', 'delete'],
  spending_limit: null,
};

describe('the difference of two profiles', () => {
  it('names added and removed entries of lists, and values before and after', () => {
    const after = {
      ...BEFORE,
      version: 2,
      mode: 'observe',
      off_limits_actions: ['wire', 'refund'],
      spending_limit: 300,
    };
    expect(differenceLines(BEFORE, after)).toEqual([
      'mode: "observe" instead of "enforce"',
      'off_limits_actions: added "refund"; removed "delete"',
      'spending_limit: 300 instead of null',
    ]);
  });

  it('counts a member that is absent as null', () => {
    const { spending_limit: _absent, ...rest } = BEFORE;
    expect(differenceLines(rest, BEFORE)).toEqual([]);
    expect(differenceLines({ ...BEFORE, limits: [] }, BEFORE)).toEqual(['limits: null instead of []']);
  });

  it('says that only the order differs, and nothing of the names of a profile', () => {
    const after = { ...BEFORE, version: 9, agent_id: 'b', off_limits_actions: ['delete', 'wire'] };
    expect(differenceLines(BEFORE, after)).toEqual(['off_limits_actions: the same entries in another order or number']);
    expect(differenceLines(BEFORE, { ...BEFORE, version: 2 })).toEqual([]);
  });
});

describe('the rules of a profile', () => {
  it('are its members that are not empty', () => {
    expect(profileLines({ ...BEFORE, limits: [] })).toEqual([
      'mode: "enforce"',
      'off_limits_actions: ["wire","delete"]',
    ]);
  });
});
