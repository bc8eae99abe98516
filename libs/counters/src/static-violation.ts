export type { StaticViolation } from '@countersign/contracts';
