import { readFile } from 'node:fs/promises';
import { JsonRefused, parseJsonStrict } from '@countersign/evidence';
import type { ToolSchemas } from '@countersign/policy-engine';
import { CommandFailed, EXIT } from '../exit-codes.js';

/**
 * Reads the input schemas of tools from a file: the result of `tools/list` of the Model Context Protocol
 * (`{"tools":[{"name","inputSchema"}]}`), or its list alone.
 * @returns the schemas by the name of the tool
 * @throws CommandFailed 64 naming the file and the problem
 */
export async function readTools(file: string): Promise<ToolSchemas> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(EXIT.usage, `cannot read ${file} (${error.code})`);
  });
  const tools = listOf(parsed(file, bytes));
  if (tools === null) {
    throw new CommandFailed(EXIT.usage, `${file} is no list of tools: {"tools":[{"name","inputSchema"}]}`);
  }
  return Object.fromEntries(
    tools.flatMap((tool) => {
      const { name, inputSchema } = isObject(tool) ? tool : {};
      return typeof name === 'string' && isObject(inputSchema) ? [[name, inputSchema]] : [];
    }),
  );
}

function parsed(file: string, bytes: Uint8Array): unknown {
  try {
    return parseJsonStrict(bytes);
  } catch (error) {
    if (!(error instanceof JsonRefused)) throw error;
    throw new CommandFailed(EXIT.usage, `${file}: ${error.message}`);
  }
}

function listOf(value: unknown): readonly unknown[] | null {
  const list = isObject(value) ? value['tools'] : value;
  return Array.isArray(list) ? list : null;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
