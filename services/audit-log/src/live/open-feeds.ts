import { HttpRefusal } from '@countersign/http-edge';

const MOST_OF_A_SESSION = 4;
const MOST_OF_AN_ACCOUNT = 20;
const MOST_OF_ALL = 200;

interface Feed {
  readonly accountId: string;
  readonly sessionId: string;
}

/** The live feeds that are open in this process. */
export class OpenFeeds {
  readonly #feeds = new Set<Feed>();

  /**
   * Takes a place for a feed.
   * @returns gives it back; once is enough
   * @throws HttpRefusal 503 where as many are open as may be
   */
  open({ accountId, sessionId }: Feed): () => void {
    const all = [...this.#feeds];
    const ofAccount = all.filter((feed) => feed.accountId === accountId);
    const ofSession = ofAccount.filter((feed) => feed.sessionId === sessionId);
    if (ofSession.length >= MOST_OF_A_SESSION) throw tooMany(`a session may have ${MOST_OF_A_SESSION}`);
    if (ofAccount.length >= MOST_OF_AN_ACCOUNT) throw tooMany(`an account may have ${MOST_OF_AN_ACCOUNT}`);
    if (all.length >= MOST_OF_ALL) throw tooMany(`an instance may have ${MOST_OF_ALL}`);
    const feed = { accountId, sessionId };
    this.#feeds.add(feed);
    return () => void this.#feeds.delete(feed);
  }
}

function tooMany(most: string): HttpRefusal {
  return new HttpRefusal(503, `too many live feeds are open: ${most}`, { 'retry-after': '5' });
}
