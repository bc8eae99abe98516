import { run } from '@countersign/service-kit';
import { definition } from './index.js';

await run([definition]);
