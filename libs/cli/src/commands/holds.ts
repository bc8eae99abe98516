import type { LegalHoldRecord, NewHoldBody } from '@countersign/contracts';
import type { Command } from 'commander';
import { Api } from '../api-client/api.js';
import { loginOf, withLogin, type LoginOptions } from '../api-client/secret-options.js';
import { targetOf, withTarget, type TargetOptions } from '../api-client/target-options.js';
import { visible, visibleJson } from '../approvals/visible.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { holdsText, placedText } from '../legal-holds/holds-text.js';

const PAGE = 100;
const MOST_LISTED = 1000;
const HOLDS = '/v1/legal-holds';

interface Options extends TargetOptions, LoginOptions {
  readonly json?: boolean;
}

type Asked = <T>(method: string, path: string, body?: unknown) => Promise<T>;

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
      const list = await as(options, listed);
      process.stdout.write(options.json === true ? `${visibleJson(list)}\n` : holdsText(list.holds, list.total));
    });
}

interface HoldList {
  readonly holds: readonly LegalHoldRecord[];
  /** Also those that are not listed. */
  readonly total: number;
}

/** The newest holds, page by page. */
async function listed(ask: Asked): Promise<HoldList> {
  const holds: LegalHoldRecord[] = [];
  for (;;) {
    const page = await ask<HoldList>('GET', `${HOLDS}?limit=${PAGE}&offset=${holds.length}`);
    holds.push(...page.holds);
    if (page.holds.length < PAGE || holds.length >= MOST_LISTED) return { holds, total: page.total };
  }
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
      const placed = await as(options, (ask) => ask<LegalHoldRecord>('POST', HOLDS, body));
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
      await as(options, (ask) => ask('POST', `${HOLDS}/${encodeURIComponent(hold)}/release`, { reason }));
      process.stdout.write(`${visible(hold)}: released\n`);
    });
}

/** Logs in and passes requests of that session to `use`. @throws CommandFailed 1 where the service refuses */
async function as<T>(options: Options, use: (ask: Asked) => Promise<T>): Promise<T> {
  const { baseUrl, email, password } = await targetOf(options, await loginOf(options));
  const api = new Api(baseUrl);
  try {
    const session = await api.login(email, password);
    return await use((method, path, body) => api.json(method, path, session, body));
  } catch (error) {
    const { message } = error instanceof Error ? error : new Error(String(error));
    throw new CommandFailed(error instanceof CommandFailed ? error.exitCode : EXIT.wrong, visible(message));
  } finally {
    api.close();
  }
}
