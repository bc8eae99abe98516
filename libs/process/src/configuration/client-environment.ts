/** Environment variables of the clients. Services ignore them. */
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
  /** For a login on the command line. */
  readonly password: string | undefined;
}

/**
 * Reads address and credentials of a client. An empty variable counts as absent. An entry of its own,
 * `@countersign/process/client-environment`, for commands that must start fast.
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

/** The variables of this process, for programs that it starts, and for the folders of other programs. */
export function inheritedEnvironment(): Readonly<Record<string, string | undefined>> {
  return process.env;
}
