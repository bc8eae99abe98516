import type { FollowedUpCheck, FollowUpBody, FollowUpRecord } from '@countersign/contracts';
import type { Command } from 'commander';
import { asPerson, listedOf } from '../api-client/as-person.js';
import { isEventId } from '../api-client/event-id.js';
import { withLogin, type LoginOptions } from '../api-client/secret-options.js';
import { withTarget, type TargetOptions } from '../api-client/target-options.js';
import { visibleJson } from '../approvals/visible.js';
import { CommandFailed, EXIT } from '../exit-codes.js';
import { checksText, followUpsText } from '../follow-ups/follow-ups-text.js';

const FOLLOW_UPS = '/v1/alerts/follow-ups';
/** Checks in one request, and notes in one answer, as the route allows. */
const MOST_CHECKS = 100;
const MOST_NOTES = 1000;

interface Options extends TargetOptions, LoginOptions {
  readonly json?: boolean;
}

/** `countersign alerts`: notes about refused checks, over the API, as a person. */
export function register(program: Command): void {
  const alerts = program.command('alerts').description('follow up refused checks by notes, and list these');
  registerFollowUp(alerts);
  registerFollowUps(alerts);
}

function registerFollowUp(alerts: Command): void {
  const command = alerts
    .command('follow-up')
    .description('record what was found and done about refused checks: an event of the account for each')
    .argument('<events...>', `ids of refused checks, at most ${MOST_CHECKS}`)
    .requiredOption('--note <text>', 'what was found and done')
    .option('--json', 'print the follow-ups as JSON')
    .addHelpText(
      'after',
      '\nFor members and admins. All checks are followed up, or none. Ends with 0: recorded; 1: refused, no such event, or no answer; 64: usage.',
    );
  withTarget(withLogin(command))
    .exitOverride()
    .action(async (events: readonly string[], options: Options & { readonly note: string }) => {
      const body: FollowUpBody = { eventIds: checkedIds(events), note: options.note };
      const { followUps } = await asPerson(options, (ask) =>
        ask<{ readonly followUps: readonly FollowUpRecord[] }>('POST', FOLLOW_UPS, body),
      );
      const text = followUpsText(followUps, followUps.length);
      process.stdout.write(options.json === true ? `${visibleJson({ followUps })}\n` : text);
    });
}

function registerFollowUps(alerts: Command): void {
  const command = alerts
    .command('follow-ups')
    .description('list the notes about refused checks, newest first, or those about some checks')
    .option('--event <ids...>', `says of these checks, at most ${MOST_CHECKS}, whether they are followed up`)
    .option('--json', 'print the list as JSON')
    .addHelpText('after', '\nEnds with 0: listed; 1: refused, or no answer; 64: usage.');
  withTarget(withLogin(command))
    .exitOverride()
    .action(async (options: Options & { readonly event?: readonly string[] }) => {
      process.stdout.write(options.event === undefined ? await listAll(options) : await listOf(options.event, options));
    });
}

async function listAll(options: Options): Promise<string> {
  const { records: followUps, total } = await asPerson(options, (ask) =>
    listedOf<FollowUpRecord>(ask, FOLLOW_UPS, 'followUps'),
  );
  return options.json === true ? `${visibleJson({ followUps, total })}\n` : followUpsText(followUps, total);
}

async function listOf(events: readonly string[], options: Options): Promise<string> {
  const path = `${FOLLOW_UPS}?limit=${MOST_NOTES}&eventIds=${checkedIds(events).join(',')}`;
  const { followUps, total, checks } = await asPerson(options, (ask) =>
    ask<{
      readonly followUps: readonly FollowUpRecord[];
      readonly total: number;
      readonly checks: readonly FollowedUpCheck[];
    }>('GET', path),
  );
  return options.json === true ? `${visibleJson({ checks, followUps, total })}\n` : checksText(checks, followUps);
}

/** @throws CommandFailed 64 */
function checkedIds(events: readonly string[]): string[] {
  const wrong = events.find((id) => !isEventId(id));
  if (wrong !== undefined) throw new CommandFailed(EXIT.usage, `${JSON.stringify(wrong)} is not the id of an event`);
  if (events.length > MOST_CHECKS)
    throw new CommandFailed(EXIT.usage, `${events.length} events: at most ${MOST_CHECKS} at once`);
  return [...events];
}
