import type { StreamKind } from '@countersign/contracts';
import { ELASTIC } from './elastic.js';
import { HTTPS } from './https.js';
import type { Kind } from './kind.js';
import { S3 } from './s3.js';
import { SPLUNK_HEC } from './splunk-hec.js';
import { SYSLOG } from './syslog.js';

export const KINDS: Readonly<Record<StreamKind, Kind>> = {
  https: HTTPS,
  splunk_hec: SPLUNK_HEC,
  elastic: ELASTIC,
  syslog: SYSLOG,
  s3: S3,
};
