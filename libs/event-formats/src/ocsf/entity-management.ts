import type { LeafEvent } from '@countersign/contracts';
import type { FormattedEvent } from '../formatted-event.js';
import { commonAttributes, given, type Activity, type OcsfEvent } from './common-attributes.js';

const IDENTITY_AND_ACCESS = 3;
const ENTITY_MANAGEMENT = 3004;

/** Activities of the class by type of event; any other is `Other` by its own name. */
const ACTIVITIES: Readonly<Record<string, Activity['activity'] | undefined>> = {
  'agent.created': [1, 'Create'],
  'agent.updated': [3, 'Update'],
  'agent.frozen': [12, 'Suspend'],
  'agent.unfrozen': [13, 'Resume'],
  'agent.deactivated': [11, 'Deactivate'],
  'agent.registered': [6, 'Enroll'],
  'profile.changed': [3, 'Update'],
  'content.erased': [4, 'Delete'],
  'retention.applied': [4, 'Delete'],
};

/** Entity Management (3004): what happens to agents, to their profiles, and to the content of events. */
export function entityManagement(event: FormattedEvent, accountId: string): OcsfEvent {
  const { leaf } = event;
  const activity = ACTIVITIES[leaf.type] ?? ([99, leaf.type] as const);
  return {
    ...commonAttributes(event, accountId, {
      categoryUid: IDENTITY_AND_ACCESS,
      classUid: ENTITY_MANAGEMENT,
      activity,
      status: [1, 'Success'],
      profiles: ['security_control'],
    }),
    entity: entityOf(leaf),
    ...(leaf.type === 'profile.changed' ? { policy: profileOf(leaf) } : {}),
  };
}

function entityOf(leaf: LeafEvent): unknown {
  switch (leaf.type) {
    case 'profile.changed':
      return {
        type_id: 5,
        type: 'Policy',
        uid: leaf.agentId,
        policy: profileOf(leaf),
        ...given('version', versionOf(leaf)),
      };
    case 'content.erased':
    case 'retention.applied':
      return { type_id: 99, type: 'Event content', uid: leaf.refersTo ?? leaf.agentId };
    default:
      return { type_id: 99, type: 'AI agent', uid: leaf.agentId };
  }
}

function profileOf(leaf: LeafEvent): unknown {
  return { name: 'behavior profile', ...given('uid', leaf.profileSha256), ...given('version', versionOf(leaf)) };
}

function versionOf({ profileVersion }: LeafEvent): string | null {
  return profileVersion === null ? null : String(profileVersion);
}
