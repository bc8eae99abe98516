import { open } from 'node:fs/promises';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { Api } from '../api-client/api.js';
import { loginOf, withLogin, type LoginOptions } from '../api-client/secret-options.js';
import { collect, targetOf, withTarget, type TargetOptions } from '../api-client/target-options.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { daysOf, type Days } from '../export-series/days.js';
import { eventsText } from '../verify-file/describe-package.js';

interface Options extends TargetOptions, LoginOptions {
  readonly format: keyof typeof DEFAULT_NAMES;
  readonly out?: string;
  readonly from: string;
  readonly to?: string;
  readonly frameworks: string;
  readonly agent?: readonly string[];
  readonly quarter?: string;
  readonly openTrail?: boolean;
  readonly eventsPerPackage: number;
}

const PACKAGES = ['json', 'pdf'] as const;
const EVENTS = ['ocsf', 'csv'] as const;
const DEFAULT_NAMES = { json: 'report.json', pdf: 'report.pdf', ocsf: 'events.ocsf.jsonl', csv: 'events.csv' } as const;

/** `countersign export`: saves a signed evidence package, or the events in a format of other programs. */
export function register(program: Command): void {
  const command = program
    .command('export')
    .description('issue a signed evidence package and save it, or save events for a SIEM or a spreadsheet')
    .addOption(
      new Option('--format <name>', 'json: the package; pdf: a document that carries it; ocsf, csv: unsigned events')
        .choices([...PACKAGES, ...EVENTS])
        .default('json'),
    )
    .option(
      '--out <file>',
      'where to save it; default: report.json, report.pdf, events.ocsf.jsonl or events.csv; of a series, a folder: series-FROM-TO',
    )
    .option('--from <time>', 'first instant of the report, or the first day of a series', '1970-01-01T00:00:00.000Z')
    .option('--to <time>', 'instant after the last one, or the last day of a series; default: this second')
    .option('--quarter <quarter>', 'a series of packages for a quarter, such as 2026Q4, in UTC')
    .addOption(
      new Option('--events-per-package <n>', 'of a series: most events of each package')
        .default(EVENTS_PER_PACKAGE)
        .argParser(eventsOf),
    )
    .option('--frameworks <list>', 'of a package, comma separated', 'soc2,euaiact')
    .option('--open-trail', 'of a package of all agents: show what its people did in full, for admins and auditors')
    .option('--agent <id>', 'agent of the report, repeatable (events: one); default: all', collect);
  withTarget(withLogin(command)).action(async (options: Options) => {
    const { format, out = DEFAULT_NAMES[format] } = options;
    const days = daysOf(options);
    if (days !== null) return exportSeries(options, days);
    if (format === 'ocsf' || format === 'csv') return exportEvents(options, format, out);
    const { baseUrl, email, password } = await targetOf(options, await loginOf(options));
    const to = options.to ?? thisSecond();
    const api = new Api(baseUrl);
    const session = await api.login(email, password);
    const answer = await api.send('POST', '/v1/events/export-signed', session, {
      agentIds: options.agent ?? [],
      format,
      frameworks: options.frameworks.split(',').map((name) => name.trim()),
      from: options.from,
      to,
      ...(options.openTrail === true ? { trail: 'opened' } : {}),
    });
    api.close();
    if (answer.status !== 200)
      throw new CommandFailed(EXIT.wrong, `the export was refused: ${answer.status} ${answer.text}`);
    await savePrivately(out, answer.bytes).catch((error: NodeJS.ErrnoException) => {
      throw new CommandFailed(EXIT.wrong, `cannot write ${out} (${error.code}): name another with --out`);
    });
    if (format === 'pdf') {
      process.stdout.write(
        `${out}: report ${String(answer.headers['x-report-id'])}, SHA-256 ${String(answer.headers['x-pdf-sha256'])}\n`,
      );
      return;
    }
    const issued = JSON.parse(answer.text) as {
      summary: Record<string, unknown>;
      timestamp: Record<string, unknown>;
      publicKeyUrl: string;
    };
    const { summary, timestamp, publicKeyUrl } = issued;
    process.stdout.write(
      `${out}: report ${String(answer.headers['x-report-id'])}, ${eventsText(issued)}, ${String(summary['anchored'])} anchored, anchor ${String(timestamp['anchor'])}\nkey: ${publicKeyUrl}\n`,
    );
  });
}

/**
 * The begin of this second. The sign-in of the export is later: the window that holds it is not anchored yet, and has to lie
 * outside of the range.
 */
function thisSecond(): string {
  return new Date(Math.floor(Date.now() / 1000) * 1000).toISOString();
}

/** At 2.5 to 3 KB for each event a package stays below its 60 MiB; a server that finds it too large ends it earlier. */
const EVENTS_PER_PACKAGE = 18_000;

function eventsOf(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value) || value < 1 || value > 50_000)
    throw new InvalidArgumentError('It must be a whole number from 1 to 50000.');
  return value;
}

async function exportSeries(options: Options, days: Days): Promise<void> {
  if (options.format !== 'json')
    throw new CommandFailed(EXIT.usage, 'a series has packages as JSON: leave --format out');
  if (options.openTrail === true)
    throw new CommandFailed(
      EXIT.usage,
      'a series has the trail of people withheld: open it in a package, with --from and --to',
    );
  const { baseUrl, email, password } = await targetOf(options, await loginOf(options));
  const { saveSeries } = await import('../export-series/save-series.js');
  const folder = options.out ?? `series-${days.name}`;
  await saveSeries({
    ...days,
    baseUrl,
    folder,
    email,
    password,
    agentIds: options.agent ?? [],
    frameworks: options.frameworks.split(',').map((name) => name.trim()),
    eventsPerPackage: options.eventsPerPackage,
    say: (line) => process.stdout.write(`${line}\n`),
  });
}

/** Openings are confidential: an existing file that others can read is closed to them before it is written. */
async function savePrivately(out: string, bytes: Uint8Array): Promise<void> {
  const file = await open(out, 'w', 0o600);
  try {
    if ((await file.stat()).isFile()) await file.chmod(0o600);
    await file.writeFile(bytes);
  } finally {
    await file.close();
  }
}

async function exportEvents(options: Options, format: 'ocsf' | 'csv', out: string): Promise<void> {
  const { agent = [], from, to } = options;
  if (agent.length > 1) throw new CommandFailed(EXIT.usage, `--format ${format} takes one --agent, or none for all`);
  const { baseUrl, email, password } = await targetOf(options, await loginOf(options));
  const { saveEvents } = await import('../export-events/save-events.js');
  const api = new Api(baseUrl);
  try {
    const session = await api.login(email, password);
    const bytes = await saveEvents({ baseUrl, session, format, filters: { agentId: agent[0], from, to }, out });
    process.stdout.write(`${out}: ${bytes} bytes\n`);
  } finally {
    api.close();
  }
}
