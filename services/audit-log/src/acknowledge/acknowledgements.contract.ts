import type { Act } from '@countersign/topics';
import type { EventStore } from '../store/port.js';
import { appenderTo } from '../testing/appender-to.js';
import { ACCOUNT, denied, envelope } from '../testing/envelopes.js';
import { Acknowledgements } from './acknowledgements.js';

const CALLER = { accountId: ACCOUNT, userId: 'u' };

/** Alerts that people close, on every {@link EventStore}. `open` gives an empty store. */
export function acknowledgementsContract(
  name: string,
  backend: { open(): Promise<EventStore>; clean(): Promise<void> },
): void {
  describe(`acknowledgements on an event store: ${name}`, () => {
    let store: EventStore;
    let append: ReturnType<typeof appenderTo>;
    /** Numbers of alerts in the acts that were recorded. */
    let recorded: number[];
    /** Done while the next act is made durable. */
    let meanwhile: () => Promise<void>;
    let acknowledgements: Acknowledgements;

    beforeEach(async () => {
      store = await backend.open();
      append = appenderTo(() => store);
      recorded = [];
      meanwhile = async () => undefined;
      const context = {
        clock: () => Date.parse('2026-03-02T00:00:00.000Z'),
        log: { error: () => undefined },
        eventLog: { append: () => meanwhile() },
      } as unknown as ConstructorParameters<typeof Acknowledgements>[0];
      acknowledgements = new Acknowledgements(context, store, async (...acts: readonly Act[]) => {
        recorded.push(...acts.map(({ content }) => (content['alerts'] as { readonly open: number }).open));
        return [];
      });
    });
    afterEach(async () => {
      await store.close();
      await backend.clean();
    });

    const openCount = async (): Promise<number> => (await store.inbox(ACCOUNT)).openCount;

    it('record exactly the alerts that are closed, and leave open those that arrive meanwhile', async () => {
      await append(denied(1), envelope(2), denied(3));
      meanwhile = () => append(denied(4), denied(5), denied(6));
      expect(await acknowledgements.acknowledge(CALLER, undefined, null)).toMatchObject({ openCount: 3 });
      expect([recorded, await openCount()]).toEqual([[2], 3]);
    });

    it('count those up to a place alone, and nothing where none is left there', async () => {
      await append(denied(1), denied(2));
      const { place } = await store.openLeaves(ACCOUNT, 10);
      await append(denied(3), envelope(4), denied(5), denied(6));
      meanwhile = () => append(denied(7));
      expect(await acknowledgements.acknowledge(CALLER, place, null)).toMatchObject({ openCount: 4 });
      expect(recorded).toEqual([2]);
      expect(await acknowledgements.acknowledge(CALLER, place, null)).toMatchObject({ openCount: 4 });
      expect(recorded).toEqual([2]);
    });

    it('count an alert once, where several requests close the same', async () => {
      await append(denied(1), denied(2), denied(3));
      const answers = await Promise.all([1, 2, 3].map(() => acknowledgements.acknowledge(CALLER, undefined, 'known')));
      expect([recorded, answers.map((inbox) => inbox.openCount)]).toEqual([[3], [0, 0, 0]]);
    });

    it('close nothing where the event is not durable', async () => {
      await append(denied(1));
      meanwhile = () => Promise.reject(new Error('disk full'));
      await expect(acknowledgements.acknowledge(CALLER, undefined, null)).rejects.toMatchObject({ status: 503 });
      expect(await openCount()).toBe(1);
      meanwhile = async () => undefined;
      expect((await acknowledgements.acknowledge(CALLER, undefined, null)).openCount).toBe(0);
    });
  });
}
