/** Meaning of an error code of a produce response for the batch. */
export type Verdict =
  /** Not in the log, and may be accepted when sent again. */
  | 'again'
  /** Not in the log, and would be refused again. */
  | 'refused'
  /** May be in the log. */
  | 'unknown';

interface Meaning {
  readonly verdict: Verdict;
  readonly words: string;
}

/** Codes of the Kafka protocol. Unlisted ones leave the batch in doubt. */
const MEANINGS: Readonly<Record<number, Meaning>> = {
  2: { verdict: 'refused', words: 'the broker found the batch damaged' },
  3: { verdict: 'again', words: 'the broker does not know the topic or partition' },
  5: { verdict: 'again', words: 'the partition has no leader' },
  6: { verdict: 'again', words: 'the broker no longer leads the partition' },
  7: { verdict: 'unknown', words: 'the replicas did not confirm in time' },
  10: { verdict: 'refused', words: 'the broker refused the batch as too large' },
  13: { verdict: 'unknown', words: 'the broker lost a connection' },
  17: { verdict: 'refused', words: 'the topic is not valid' },
  18: { verdict: 'refused', words: 'the broker refused the batch as too large' },
  19: { verdict: 'again', words: 'too few replicas are in sync' },
  20: { verdict: 'unknown', words: 'too few replicas were in sync after the append' },
  21: { verdict: 'refused', words: 'the broker does not wait for all replicas' },
  29: { verdict: 'refused', words: 'this client may not write to the topic' },
  31: { verdict: 'refused', words: 'this client may not use the cluster' },
  32: { verdict: 'refused', words: 'the broker refused the time stamp' },
  35: { verdict: 'refused', words: 'the broker does not speak this version' },
  42: { verdict: 'refused', words: 'the broker found the request invalid' },
  43: { verdict: 'refused', words: 'the broker refused the record format' },
  44: { verdict: 'refused', words: 'a policy of the broker refused the batch' },
  74: { verdict: 'again', words: 'the leader of the partition changed' },
  76: { verdict: 'refused', words: 'the broker refused the compression' },
  87: { verdict: 'refused', words: 'the broker refused a record' },
};

export function meaningOf(errorCode: number): Meaning {
  return MEANINGS[errorCode] ?? { verdict: 'unknown', words: `the broker answered with error ${errorCode}` };
}
