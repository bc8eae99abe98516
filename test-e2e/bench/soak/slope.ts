/** A regression line, by least squares. */
export interface Slope {
  readonly perHour: number;
  /** Twice the standard error: the confidence interval of the slope. Infinite for fewer than three samples. */
  readonly doubt: number;
}

export type Verdict = 'flat' | 'grows' | 'not shown: run it longer';

export interface Sample {
  readonly minute: number;
  readonly value: number;
}

export function slopeOf(samples: readonly Sample[]): Slope {
  const n = samples.length;
  if (n < 2) return { perHour: Number.NaN, doubt: Number.POSITIVE_INFINITY };
  const mean = (figure: (sample: Sample) => number): number => samples.reduce((sum, one) => sum + figure(one), 0) / n;
  const minute = mean((one) => one.minute);
  const value = mean((one) => one.value);
  const spread = samples.reduce((sum, one) => sum + (one.minute - minute) ** 2, 0);
  const slope = samples.reduce((sum, one) => sum + (one.minute - minute) * (one.value - value), 0) / spread;
  const residual = samples.reduce((sum, one) => sum + (one.value - value - slope * (one.minute - minute)) ** 2, 0);
  const error = n < 3 ? Number.POSITIVE_INFINITY : Math.sqrt(residual / (n - 2) / spread);
  return { perHour: slope * 60, doubt: 2 * error * 60 };
}

/** @param most maximum growth per hour */
export function verdictOf({ perHour, doubt }: Slope, most: number): Verdict {
  if (perHour - doubt > most) return 'grows';
  return perHour + doubt <= most ? 'flat' : 'not shown: run it longer';
}
