import { setPriority } from 'node:os';
import { drawReport } from './draw-report.js';

/**
 * A process that renders one PDF: reads the package from standard input, writes the file to standard output, then exits.
 * It yields the processor to the checks of its machine.
 * @see {@link PdfRenderer}, which starts it
 */
setPriority(10);
// Signals to the group are handled by the parent process, which ends this one.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
const bytes = Buffer.concat(chunks);
chunks.length = 0;
await drawReport(bytes, (piece) => void process.stdout.write(piece));
