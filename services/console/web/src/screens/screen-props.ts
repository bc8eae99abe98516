import type { BrowserSession } from '@countersign/contracts';

/** The place that a screen shows, and for whom. */
export interface ScreenProps {
  readonly session: BrowserSession;
  /** The whole path behind `#`, and the part of it after the screen's own: `` or `/…`. */
  readonly path: string;
  readonly rest: string;
  readonly query: URLSearchParams;
}
