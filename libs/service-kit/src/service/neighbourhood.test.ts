import type { EventArchive } from '@countersign/contracts';
import { Neighbourhood } from './neighbourhood.js';

const archive = { span: async () => null } as unknown as EventArchive;

describe('a neighbourhood', () => {
  it('gives what is offered, also to who asked before', async () => {
    const neighbourhood = new Neighbourhood();
    const early = neighbourhood.neighbour('event-archive');
    neighbourhood.provide('event-archive', archive);
    expect(await early).toBe(archive);
    expect(await neighbourhood.neighbour('event-archive')).toBe(archive);
  });

  it('gives what is offered by now, and says that nothing is', () => {
    const neighbourhood = new Neighbourhood();
    expect(neighbourhood.neighbourNow('event-archive')).toBeNull();
    neighbourhood.provide('event-archive', archive);
    expect(neighbourhood.neighbourNow('event-archive')).toBe(archive);
  });

  it('refuses a second offer', () => {
    const neighbourhood = new Neighbourhood();
    neighbourhood.provide('event-archive', archive);
    expect(() => neighbourhood.provide('event-archive', archive)).toThrow('event-archive is provided twice');
  });
});
