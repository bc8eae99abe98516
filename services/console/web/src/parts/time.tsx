import type { ReactNode } from 'react';
import { usePreferences } from '../preferences.js';

const two = (value: number): string => String(value).padStart(2, '0');

/** `2026-03-01 09:30:00.123`, in UTC or in the reader's zone. */
export function timeText(iso: string, local: boolean): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  if (!local) return `${at.toISOString().slice(0, 23).replace('T', ' ')}`;
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  const milliseconds = String(at.getMilliseconds()).padStart(3, '0');
  return `${date} ${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}.${milliseconds}`;
}

/** A time with milliseconds; without `zone` the column's head names the zone. */
export function Time({ iso, zone = false }: { readonly iso: string; readonly zone?: boolean }): ReactNode {
  const { localTimes } = usePreferences();
  const shown = timeText(iso, localTimes);
  return (
    <time dateTime={iso} title={iso}>
      {shown}
      {zone ? ` ${zoneName(localTimes)}` : ''}
    </time>
  );
}

export function zoneName(local: boolean): string {
  return local ? 'local' : 'UTC';
}
