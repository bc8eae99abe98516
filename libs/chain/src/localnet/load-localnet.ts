import type * as start from './start.js';

/** `litesvm` has one package for each of these; npm installs the one that fits. */
const BUILT_FOR = 'Linux and macOS on x64 and arm64';

/** The binary of the embedded network is missing, or does not run here. The message says what to do. */
export class NetworkNotBuilt extends Error {
  override readonly name = 'NetworkNotBuilt';
  constructor(cause: unknown) {
    super(
      `the embedded Solana network has no binary that runs on this machine (${process.platform} ${process.arch}); it ` +
        `comes for ${BUILT_FOR}, as an optional package of npm. There, install again with npm ci --include=optional; ` +
        'elsewhere, set SOLANA_RPC_URL to the RPC of another Solana network',
      { cause },
    );
  }
}

/**
 * Loads the embedded network with its virtual machine.
 * @throws NetworkNotBuilt where npm installed no binary for this machine
 */
export async function loadLocalnet(): Promise<typeof start> {
  try {
    // By itself first: a binary that is missing deeper in a graph of modules also ends the process, even when the error
    // is caught.
    await import('litesvm');
  } catch (error) {
    throw new NetworkNotBuilt(error);
  }
  return import('./start.js');
}
