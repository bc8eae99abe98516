import { join } from 'node:path';
import { Module, type DynamicModule } from '@nestjs/common';
import { nodeCrypto, type RunningService, type ServiceContext } from '@countersign/service-kit';
import { authorityKey } from './authority/authority-key.js';
import { WindowCloser } from './close-windows/window-closer.js';
import { WindowLoop } from './close-windows/window-loop.js';
import { WindowCutter } from './cut-windows/window-cutter.js';
import { Consumers, LEAF_INTAKE, REPORT_INTAKE } from './intake/consumers.js';
import { CutGate } from './intake/cut-gate.js';
import { LeafIntake } from './intake/leaf-intake.js';
import { ReportIntake } from './intake/report-intake.js';
import { anchoringMetrics } from './metrics.js';
import { proofSource } from './prove/proof-source.js';
import { AnchorPublisher } from './publish/anchor-publisher.js';
import { openSqliteAnchorStore } from './store/sqlite.js';
import { AnchorLoop } from './submit/anchor-loop.js';

@Module({})
class AnchoringModule {}

/** Opens the store and the key, and puts the parts together. The chain is asked in the background: it only queues. */
export async function startAnchoring(context: ServiceContext): Promise<RunningService> {
  const key = await authorityKey(context.directory);
  const { sha256 } = nodeCrypto;
  const store = openSqliteAnchorStore(join(context.directory, 'anchors.db'), sha256);
  const metrics = anchoringMetrics(context.metrics, context.clock);
  metrics.waiting(await store.waiting());
  const publisher = new AnchorPublisher(context.eventLog, store);
  const anchors = new AnchorLoop(context, store, key, publisher, metrics);
  const windows = new WindowLoop(context, publisher, new WindowCloser(store, sha256), anchors.poke);
  const gate = new CutGate();
  const leaves = new LeafIntake(context, store, gate);
  const cutter = new WindowCutter(context, store, leaves, gate, () => windows.poke());
  context.provide('proof-source', proofSource(store, sha256));
  windows.poke();
  anchors.poke();
  cutter.start();

  const module: DynamicModule = {
    module: AnchoringModule,
    controllers: [Consumers],
    providers: [
      { provide: LEAF_INTAKE, useValue: leaves },
      { provide: REPORT_INTAKE, useValue: new ReportIntake(store, anchors.poke) },
    ],
  };
  return {
    module,
    consumer: { group: 'anchoring', position: (topic, partition) => store.position(topic, partition) },
    notReady: () =>
      [cutter.problem(), windows.problem(), anchors.fundsProblem()].filter(
        (problem): problem is string => problem !== null,
      ),
    stop: async () => {
      await cutter.stop();
      await windows.stop();
      await anchors.stop();
      await store.close();
    },
  };
}
