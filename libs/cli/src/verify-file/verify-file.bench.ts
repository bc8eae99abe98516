import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isPdf } from '@countersign/evidence';
import { packageInPdf } from './package-in-pdf.js';
import { verifyFile } from './verify-file.js';

/**
 * Verifies a package or its PDF as `countersign verify FILE --key KEY` does, and prints the figures as JSON:
 * `node verify-file.bench.js FILE KEY`. `processorMs` is of all threads. `bareMs`: `JSON.parse` and one SHA-256 of the same JSON.
 */
const [file = '', key = ''] = process.argv.slice(2);

const used = process.cpuUsage();
const begun = performance.now();
const { exitCode, problems } = await verifyFile({ file, keys: [key], rpcUrls: [], authorities: [] });
const verifiedMs = performance.now() - begun;
const { user, system } = process.cpuUsage(used);
const processorMs = (user + system) / 1000;
if (exitCode !== 0) throw new Error(`it does not verify: ${problems.join(' ')}`);

const bytes = readFileSync(file);
const carried = isPdf(bytes) ? packageInPdf(bytes) : null;
if (typeof carried === 'string') throw new Error(carried);
const json = carried?.json ?? bytes;
const bareBegun = performance.now();
const { events } = JSON.parse(Buffer.from(json).toString('utf8')) as { readonly events: readonly unknown[] };
createHash('sha256').update(json).digest();
const bareMs = performance.now() - bareBegun;

const residentMiB = process.resourceUsage().maxRSS / 1024;
console.log(JSON.stringify({ events: events.length, verifiedMs, processorMs, bareMs, residentMiB }));
