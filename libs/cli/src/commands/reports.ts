import type { NewShareRecord, ShareBody, ShareRecord } from '@countersign/contracts';
import type { Command } from 'commander';
import { asPerson, listedOf } from '../api-client/as-person.js';
import { withLogin, type LoginOptions } from '../api-client/secret-options.js';
import { withTarget, type TargetOptions } from '../api-client/target-options.js';
import { visible, visibleJson } from '../approvals/visible.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { newShareText, secondsOf, sharesText } from '../share-reports/shares-text.js';

interface Options extends TargetOptions, LoginOptions {
  readonly json?: boolean;
}

/** `countersign reports`: links by which stored reports are read without an account, over the API, as a person. */
export function register(program: Command): void {
  const reports = program.command('reports').description('share stored reports by links, list and revoke these');
  registerShare(reports);
  registerShares(reports);
  registerUnshare(reports);
}

interface ShareOptions extends Options {
  readonly for?: string;
  readonly until?: string;
  readonly pdf?: boolean;
  readonly withhold?: string;
  readonly note?: string;
}

function registerShare(reports: Command): void {
  const command = reports
    .command('share')
    .description('print a link by which a report is read without an account; it is not shown again')
    .argument('<report>', 'id of the report')
    .option('--for <time>', 'how long the link is valid: such as 12h or 7d, at most 366d')
    .option('--until <time>', 'when the link ends, ISO 8601')
    .option('--pdf', 'its PDF instead of the package')
    .option('--withhold <kinds>', 'no link if the report opens these: action, payload, context, comma separated')
    .option('--note <text>', 'for whom the link is; listed with it')
    .option('--json', 'print the link as JSON')
    .addHelpText('after', '\nEnds with 0: made; 1: refused, or no answer; 64: usage.');
  withTarget(withLogin(command)).exitOverride().action(share);
}

async function share(report: string, options: ShareOptions): Promise<void> {
  const { for: time, until, pdf, withhold, note, json } = options;
  if ((time === undefined) === (until === undefined))
    throw new CommandFailed(EXIT.usage, 'name the end of the link: one of --for and --until');
  const body: ShareBody = {
    ...(time === undefined ? { expiresAt: until! } : { expiresIn: secondsOf(time) }),
    form: pdf === true ? 'pdf' : 'package',
    // The service says which of them it does not know.
    ...(withhold === undefined ? {} : { withhold: withhold.split(',') as ShareBody['withhold'] & object }),
    ...(note === undefined ? {} : { note }),
  };
  const made = await asPerson(options, (ask) => ask<NewShareRecord>('POST', pathOf(report), body));
  process.stdout.write(json === true ? `${visibleJson(made)}\n` : newShareText(made));
}

function registerShares(reports: Command): void {
  const command = reports
    .command('shares')
    .description('list the links of a report, newest first, with their fetches')
    .argument('<report>', 'id of the report')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', '\nEnds with 0: listed; 1: refused, no such report, or no answer; 64: usage.');
  withTarget(withLogin(command))
    .exitOverride()
    .action(async (report: string, options: Options) => {
      const list = await asPerson(options, (ask) => listedOf<ShareRecord>(ask, pathOf(report), 'shares'));
      const { records: shares, total } = list;
      const text =
        options.json === true ? `${visibleJson({ shares, total })}\n` : sharesText(shares, total, Date.now());
      process.stdout.write(text);
    });
}

function registerUnshare(reports: Command): void {
  const command = reports
    .command('unshare')
    .description('revoke a link of a report: from then on nothing is read by it')
    .argument('<report>', 'id of the report')
    .argument('<link>', 'id of the link, as share and shares print it')
    .addHelpText(
      'after',
      '\nEnds with 0: revoked, or revoked before; 1: refused, no such link, or no answer; 64: usage.',
    );
  withTarget(withLogin(command))
    .exitOverride()
    .action(async (report: string, link: string, options: Options) => {
      await asPerson(options, (ask) => ask('DELETE', `${pathOf(report)}/${encodeURIComponent(link)}`));
      process.stdout.write(`${visible(link)}: revoked\n`);
    });
}

function pathOf(report: string): string {
  return `/v1/reports/${encodeURIComponent(report)}/shares`;
}
