import type { LegalHoldRecord, NewHoldBody } from '@countersign/contracts';
import type { Command } from 'commander';
import { asPerson, listedOf } from '../api-client/as-person.js';
import { withLogin, type LoginOptions } from '../api-client/secret-options.js';
import { withTarget, type TargetOptions } from '../api-client/target-options.js';
import { visible, visibleJson } from '../approvals/visible.js';
import { holdsText, placedText } from '../legal-holds/holds-text.js';

const HOLDS = '/v1/legal-holds';

interface Options extends TargetOptions, LoginOptions {
  readonly json?: boolean;
}

/** `countersign holds`: content that is not erased until its hold is released, over the API, as an admin or auditor. */
export function register(program: Command): void {
  const holds = program.command('holds').description('list, place and release legal holds: content that is not erased');
  registerList(holds);
  registerPlace(holds);
  registerRelease(holds);
}

function registerList(holds: Command): void {
  const command = holds
    .command('list')
    .description('list the legal holds of the account, newest first, released ones included')
    .option('--json', 'print the list as JSON')
    .addHelpText('after', '\nFor admins and auditors. Ends with 0: listed; 1: refused, or no answer; 64: usage.');
  withTarget(withLogin(command))
    .exitOverride()
    .action(async (options: Options) => {
      const { records: holds, total } = await asPerson(options, (ask) =>
        listedOf<LegalHoldRecord>(ask, HOLDS, 'holds'),
      );
      process.stdout.write(options.json === true ? `${visibleJson({ holds, total })}\n` : holdsText(holds, total));
    });
}

interface PlaceOptions extends Options {
  readonly reason: string;
  readonly agent?: readonly string[];
  readonly from?: string;
  readonly to?: string;
}

function registerPlace(holds: Command): void {
  const command = holds
    .command('place')
    .description('hold content: it is not erased, by hand or by age, until the hold is released')
    .argument('<name>', 'such as the number of the case')
    .requiredOption('--reason <text>', 'why the content is held')
    .option('--agent <ids...>', 'only of these agents; without it everything of the account')
    .option('--from <time>', 'events from this time on, ISO 8601')
    .option('--to <time>', 'events before this time, ISO 8601')
    .option('--json', 'print the hold as JSON')
    .addHelpText('after', '\nFor admins. Ends with 0: placed; 1: refused, or no answer; 64: usage.');
  withTarget(withLogin(command))
    .exitOverride()
    .action(async (name: string, options: PlaceOptions) => {
      const { reason, agent, from, to } = options;
      const body: NewHoldBody = {
        ...{ name, reason },
        ...(agent === undefined ? {} : { agents: agent }),
        ...(from === undefined ? {} : { from }),
        ...(to === undefined ? {} : { to }),
      };
      const placed = await asPerson(options, (ask) => ask<LegalHoldRecord>('POST', HOLDS, body));
      process.stdout.write(options.json === true ? `${visibleJson(placed)}\n` : placedText(placed));
    });
}

function registerRelease(holds: Command): void {
  const command = holds
    .command('release')
    .description('release a legal hold, for good: its content may be erased again')
    .argument('<hold>', 'id of the hold, as place and list print it')
    .requiredOption('--reason <text>', 'why it is released')
    .addHelpText('after', '\nFor admins. Ends with 0: released; 1: refused, no such hold, or no answer; 64: usage.');
  withTarget(withLogin(command))
    .exitOverride()
    .action(async (hold: string, options: Options & { readonly reason: string }) => {
      const { reason } = options;
      await asPerson(options, (ask) => ask('POST', `${HOLDS}/${encodeURIComponent(hold)}/release`, { reason }));
      process.stdout.write(`${visible(hold)}: released\n`);
    });
}
