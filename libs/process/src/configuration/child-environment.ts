import { CLIENT_VARIABLES } from './client-environment.js';

/** Of the variables of clients, those that are secret. */
const SECRET: ReadonlySet<string> = new Set(
  CLIENT_VARIABLES.filter((name) => name === 'COUNTERSIGN_API_KEY' || name === 'COUNTERSIGN_PASSWORD'),
);

/**
 * The environment of this process, for a third-party program that it starts: without the API key and the password,
 * which would let that program speak for the agent or the person. A module of its own, `@countersign/service-kit/child-environment`.
 */
export function environmentOfChild(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRET.has(name.toUpperCase())));
}
