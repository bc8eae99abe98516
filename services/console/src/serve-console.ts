import { consoleRoutes, installationRoutes } from '@countersign/contracts';
import {
  FOR_A_YEAR,
  HttpAnswer,
  HttpRefusal,
  inputOf,
  REVALIDATED,
  sendFile,
  writeAnswer,
} from '@countersign/http-edge';
import type { RunningService } from '@countersign/service-kit';
import { isHashed } from './console-files.js';
import type { ConsoleFiles } from './console-files.js';
import type { ReadInstallation } from './installation/installation.js';

/**
 * Scripts, styles and data come from this origin alone; none is inline, and no text becomes markup or script. No page may
 * frame this one.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "worker-src 'self'",
  "font-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types console',
].join('; ');

/** Of the page and of each of its files. */
export const PAGE_HEADERS = {
  'content-security-policy': CONTENT_SECURITY_POLICY,
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy':
    'camera=(), clipboard-read=(), clipboard-write=(self), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
} as const;

/**
 * Answers `GET /console`, `GET /console/{file}` and `GET /v1/operations`.
 * @param installation `null`: the last one is off
 */
export function serveConsole(
  files: ConsoleFiles,
  installation: ReadInstallation | null = null,
): NonNullable<RunningService['handle']> {
  return async (route, request, response) => {
    if (route.operationId === consoleRoutes.getConsole.operationId) {
      await sendFile(request, response, await files.page(), PAGE_HEADERS, REVALIDATED);
      return;
    }
    if (route.operationId === installationRoutes.installationState.operationId && installation !== null) {
      await writeAnswer(response, new HttpAnswer(200, await installation()));
      return;
    }
    const name = inputOf(request).params['file']!;
    const file = await files.file(name);
    if (file === null) throw new HttpRefusal(404, 'the page has no such file');
    await sendFile(request, response, file, PAGE_HEADERS, isHashed(name) ? FOR_A_YEAR : REVALIDATED);
  };
}
