import { HttpRefusal } from '@countersign/http-edge';

export const EMAIL_TAKEN = 'the e-mail address is taken: choose another';

export function notNow(): HttpRefusal {
  return new HttpRefusal(503, 'the change cannot be made durable or announced at the moment: try again', {
    'Retry-After': '1',
  });
}
