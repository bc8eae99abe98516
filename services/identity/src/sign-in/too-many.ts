import { HttpRefusal } from '@countersign/http-edge';

/** @param seconds until an attempt may pass again */
export function tooMany(seconds: number): HttpRefusal {
  return new HttpRefusal(429, 'too many attempts: wait as long as Retry-After says', {
    'Retry-After': String(seconds),
  });
}
