import { consoleRoutes } from '@countersign/contracts';
import type { ServiceDefinition } from '@countersign/service-kit';
import { ConsoleFiles } from './console-files.js';
import { serveConsole } from './serve-console.js';

/** The web application for people. The page is a client of the API; this service serves its files. */
export const definition: ServiceDefinition = {
  name: 'console',
  routes: Object.values(consoleRoutes),
  reads: [],
  writes: [],
  after: [],
  // Files are read at the first request, so a start waits for nothing.
  start: async () => ({
    handle: serveConsole(new ConsoleFiles()),
    notReady: () => [],
    stop: async () => undefined,
  }),
};
