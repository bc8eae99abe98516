import { readFileSync } from 'node:fs';
import { HOOK_TOOLS } from '@countersign/contracts';
import type { HookTool } from '@countersign/contracts';
import fc from 'fast-check';
import { readHook } from './read-hook.js';

interface Case {
  readonly name: string;
  /** No other tool sends such a body. */
  readonly onlyHere?: true;
  readonly body: Readonly<Record<string, unknown>>;
  readonly reads?: { readonly when: string; readonly outcome?: string; readonly [member: string]: unknown };
  readonly blocks?: string;
}

const FOLDER = new URL('../../vectors/hooks/', import.meta.url);
const casesOf = (tool: HookTool): readonly Case[] =>
  (JSON.parse(readFileSync(new URL(`${tool}.json`, FOLDER), 'utf8')) as { readonly cases: readonly Case[] }).cases;

const withBodies = HOOK_TOOLS.map((tool) => [tool, casesOf(tool)] as const);

describe.each(withBodies)('hooks of %s', (tool, cases) => {
  it.each(cases.filter(({ reads }) => reads !== undefined).map((one) => [one.name, one] as const))(
    'reads %s',
    (_name, { body, reads }) => {
      const event = readHook(tool, body);
      if (typeof event === 'string') throw new Error(event);
      const { when, outcome, input, ...call } = reads!;
      const given = body['tool_input'] ?? body['toolArgs'];
      expect(event).toMatchObject({ when, ...(outcome === undefined ? {} : { outcome }) });
      expect(JSON.parse(JSON.stringify(event.call))).toEqual({ ...call, input: input ?? given });
    },
  );

  it.each(cases.filter(({ blocks }) => blocks !== undefined).map((one) => [one.name, one] as const))(
    'refuses %s',
    (_name, { body, blocks }) => {
      expect(readHook(tool, body)).toContain(blocks);
    },
  );

  it('refuses the bodies of every other tool', () => {
    const others = withBodies.filter(([other]) => other !== tool).flatMap(([, all]) => all);
    const foreign = others.filter(({ onlyHere }) => onlyHere === true);
    expect(foreign.length).toBeGreaterThan(10);
    for (const { name, body } of foreign) expect([name, typeof readHook(tool, body)]).toEqual([name, 'string']);
  });

  it('never reads a call from any other JSON value', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), (value) => {
        expect(typeof readHook(tool, value)).toBe('string');
      }),
      { numRuns: 300 },
    );
  });

  it('reads no name of a prototype as an event', () => {
    for (const name of ['constructor', '__proto__', 'toString']) {
      expect(typeof readHook(tool, { hook_event_name: name, tool_name: 'x', tool_input: {} })).toBe('string');
    }
  });
});

describe('asking the user', () => {
  it.each([
    ['claude-code', { hook_event_name: 'PreToolUse', tool_name: 'x', tool_input: {} }, true],
    ['codex', { hook_event_name: 'PreToolUse', tool_name: 'x', tool_input: {} }, false],
    ['cursor', { hook_event_name: 'preToolUse', tool_name: 'x', tool_input: {} }, false],
    ['cursor', { hook_event_name: 'beforeShellExecution', command: 'x' }, true],
    ['cursor', { hook_event_name: 'beforeMCPExecution', tool_name: 'x', tool_input: '{}' }, true],
    ['cursor', { hook_event_name: 'beforeReadFile', file_path: 'x' }, false],
    ['gemini', { hook_event_name: 'BeforeTool', tool_name: 'x', tool_input: {} }, false],
    ['copilot', { toolName: 'x', toolArgs: {} }, true],
  ] as const)('is enforced by %s for %j: %s', (tool, body, enforcesAsk) => {
    expect(readHook(tool, body)).toMatchObject({ when: 'before', enforcesAsk });
  });
});
