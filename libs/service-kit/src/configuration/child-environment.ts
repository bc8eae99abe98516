import { CLIENT_VARIABLES } from './client-environment.js';

const [API_KEY] = CLIENT_VARIABLES;

/**
 * The environment of this process, for a program of somebody else's that it starts: without the API key, which would let that
 * program speak for the agent. A module of its own, `@countersign/service-kit/child-environment`.
 */
export function environmentOfChild(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => name.toUpperCase() !== API_KEY));
}
