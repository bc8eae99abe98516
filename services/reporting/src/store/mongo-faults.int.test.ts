import { persistently, someMongoFaults, StoresUnderFaults } from '@countersign/test-kit';
import { createConnection } from 'mongoose';
import { openMongoReportStore } from './open.js';
import type { KeptAnchor, ReportStore } from './port.js';

const SERVER = process.env['COUNTERSIGN_TEST_MONGODB_URI'];
const ADDRESSES = 7;
const RECORDS = 80;

/** The record at an offset: an authority's next version, and sometimes a redelivered older one. */
function record(offset: number): KeptAnchor {
  const address = `address-${offset % ADDRESSES}`;
  const version = 1 + Math.floor(offset / ADDRESSES) - (offset % 5 === 4 ? 2 : 0);
  return { version, value: { kind: 'authority', address, network: `${version}`, validFrom: null, validTo: null } };
}

if (SERVER === undefined) {
  describe.skip('needs MongoDB: COUNTERSIGN_TEST_MONGODB_URI', () => it('has no server', () => undefined));
} else {
  let opened: StoresUnderFaults<ReportStore>;
  beforeAll(async () => {
    opened = await StoresUnderFaults.open(SERVER, 'reporting', createConnection, openMongoReportStore);
  });
  afterAll(() => opened.close());

  it('keeps the newest of each while answers are lost or late, and writes finish after their time-out', async () => {
    const { proxy, direct, stores } = opened;
    proxy.decide(someMongoFaults(3, 5));
    const follow = async (store: ReportStore, size: number): Promise<void> => {
      for (let at = 0; at < RECORDS; at += size) {
        const next = Math.min(at + size, RECORDS);
        const anchors = Array.from({ length: next - at }, (_, i) => record(at + i));
        await persistently(() => store.keepAnchors(anchors, 3, next));
        const position = await persistently(() => store.anchorsPosition(3));
        expect(position).toBeGreaterThanOrEqual(next);
      }
    };
    await Promise.all([follow(stores[0]!, 6), follow(stores[1]!, 11)]);
    proxy.heal();
    for (const count of Object.values(proxy.faults)) expect(count).toBeGreaterThan(0);

    const newest = new Map<string, number>();
    for (let offset = 0; offset < RECORDS; offset += 1) {
      const { version, value } = record(offset);
      const id = value.kind === 'authority' ? value.address : '';
      newest.set(id, Math.max(version, newest.get(id) ?? 0));
    }
    const kept = (await direct.authorities()).map(({ address, network }) => [address, network]);
    expect(kept).toEqual([...newest].sort().map(([id, version]) => [id, `${version}`]));
    expect(await direct.anchorsPosition(3)).toBe(RECORDS);
  });
}
