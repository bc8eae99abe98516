import { run } from '@countersign/service-kit';
import { definition } from './definition.js';

await run([definition]);
