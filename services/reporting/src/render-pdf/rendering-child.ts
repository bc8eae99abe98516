import { inputOfChild } from '../child/input-of-child.js';
import { drawReport } from './draw-report.js';

/**
 * A process that renders one PDF: reads the package from standard input, writes the file to standard output, then exits.
 * @see {@link PdfRenderer}, which starts it
 */
const bytes = await inputOfChild();
await drawReport(bytes, (piece) => void process.stdout.write(piece));
