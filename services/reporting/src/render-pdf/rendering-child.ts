import { setPriority } from 'node:os';
import { drawReport } from './draw-report.js';

/**
 * A process that draws one PDF: the package on standard input, the file on standard output, then it ends. It gives way to
 * the checks of the machine that it runs on.
 * @see {@link PdfRenderer}, which starts it
 */
setPriority(10);
// Signals to the group are for the one that started this process, which ends this one.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const bytes = Buffer.concat(chunks);
chunks.length = 0;
await drawReport(bytes, (piece) => void process.stdout.write(piece));
