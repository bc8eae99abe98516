/** What the clients are told by the environment; a service reads none of them, and none keeps it from starting. */
export const CLIENT_VARIABLES = [
  'COUNTERSIGN_API_KEY',
  'COUNTERSIGN_AGENT_ID',
  'COUNTERSIGN_BASE_URL',
  'COUNTERSIGN_PASSWORD',
] as const;

export interface ClientEnvironment {
  readonly apiKey: string | undefined;
  readonly agentId: string | undefined;
  readonly baseUrl: string | undefined;
  /** Of who logs in on the command line. */
  readonly password: string | undefined;
}

/**
 * Who asks, and where, as the examples of the clients read it. An empty variable counts as absent. A module of its own,
 * `@countersign/process/client-environment`, for commands that must start in a moment.
 */
export function clientEnvironment(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): ClientEnvironment {
  const [apiKey, agentId, baseUrl, password] = CLIENT_VARIABLES.map((name) => {
    const value = environment[name]?.trim();
    return value === '' ? undefined : value;
  });
  return { apiKey, agentId, baseUrl, password };
}
