import { consoleRoutes, installationRoutes } from '@countersign/contracts';
import type { ServiceDefinition } from '@countersign/service-kit';
import { ConsoleFiles } from './console-files.js';
import { openInstallation } from './installation/installation.js';
import { serveConsole } from './serve-console.js';

/** The answer of `GET /v1/operations` where it is off: names the variable. */
const OFF = 'the state of the installation is not shown here: COUNTERSIGN_CONSOLE_OPERATIONS is not true';

/** The web application for people. The page is a client of the API; this service serves its files, and the state of the services. */
export const definition: ServiceDefinition = {
  name: 'console',
  routes: [...Object.values(consoleRoutes), ...Object.values(installationRoutes)],
  reads: [],
  writes: [],
  after: [],
  // Files are read at the first request, so a start waits for nothing.
  start: async (context) => {
    const installation = openInstallation(context);
    return {
      handle: serveConsole(new ConsoleFiles(undefined, installation !== null), installation),
      ...(installation === null ? { off: new Map([[installationRoutes.installationState.operationId, OFF]]) } : {}),
      notReady: () => [],
      stop: async () => undefined,
    };
  },
};
