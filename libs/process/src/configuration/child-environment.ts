import { CLIENT_VARIABLES } from './client-environment.js';

/** The secret ones among the variables of clients. */
const SECRET: ReadonlySet<string> = new Set(
  CLIENT_VARIABLES.filter((name) => name === 'COUNTERSIGN_API_KEY' || name === 'COUNTERSIGN_PASSWORD'),
);

/**
 * Returns the environment of this process without API key and password, for a third-party program that it starts: with them
 * that program could act as the agent or the person. An entry of its own, `@countersign/process/child-environment`.
 */
export function environmentOfChild(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET.has(name.toUpperCase())));
}
