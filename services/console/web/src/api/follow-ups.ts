import { useMutation } from '@tanstack/react-query';
import type { UseMutationResult } from '@tanstack/react-query';
import type { EventDetail, FollowUpRecord } from '@countersign/contracts';
import { ask } from './ask.js';
import { client } from './client.js';

interface Recorded {
  readonly followUps: readonly FollowUpRecord[];
}

/** Records a note about a refused check. The event shows it at once: the archive lists it a moment later. */
export function useFollowUp(eventId: string): UseMutationResult<Recorded, Error, string> {
  return useMutation({
    mutationFn: (note) =>
      ask<Recorded>('/v1/alerts/follow-ups', { method: 'POST', body: { eventIds: [eventId], note } }),
    onSuccess: ({ followUps }) =>
      client.setQueryData<EventDetail>(['event', eventId], (event) =>
        event === undefined ? undefined : { ...event, followUps: [...event.followUps, ...followUps] },
      ),
  });
}
