import { TOPICS } from '@countersign/contracts';
import { byReason, settingsOf, worseThanNeeded } from './topics.js';

const settings = (topic: keyof typeof TOPICS, changed: Record<string, string> = {}, single = false) =>
  new Map(Object.entries({ ...settingsOf(TOPICS[topic], single), ...changed }));

describe('topics', () => {
  it.each(['agent-events', 'agents'] as const)('accepts %s as it creates it', (topic) => {
    const { partitions } = TOPICS[topic];
    expect(worseThanNeeded(TOPICS[topic], { partitions, replicas: 3, settings: settings(topic) }, false)).toEqual([]);
    const single = { partitions, replicas: 1, settings: settings(topic, {}, true) };
    expect(worseThanNeeded(TOPICS[topic], single, true)).toEqual([]);
  });

  it('accepts what is better than needed', () => {
    const better = { 'retention.ms': '-1', 'max.message.bytes': '20000000', 'min.insync.replicas': '3' };
    const found = { partitions: 12, replicas: 4, settings: settings('agent-events', better) };
    expect(worseThanNeeded(TOPICS['agent-events'], found, false)).toEqual([]);
  });

  it('names another number of partitions with both numbers', () => {
    const found = { partitions: 6, replicas: 3, settings: settings('agent-events') };
    expect(worseThanNeeded(TOPICS['agent-events'], found, false)).toEqual(['12 partitions expected, 6 found']);
  });

  it('refuses one replica or one acknowledgement unless that is allowed, and says how to allow it', () => {
    const found = { partitions: 12, replicas: 1, settings: settings('agent-events', { 'min.insync.replicas': '1' }) };
    const worse = worseThanNeeded(TOPICS['agent-events'], found, false);
    expect(worse).toHaveLength(2);
    for (const reason of worse) expect(reason).toContain('COUNTERSIGN_ALLOW_SINGLE_BROKER=true');
    expect(worseThanNeeded(TOPICS['agent-events'], found, true)).toEqual([]);
  });

  it('lists each reason once, with all its topics', () => {
    const found = [
      { topic: 'p.agents', reason: 'one copy' },
      { topic: 'p.anchors', reason: 'one copy' },
      { topic: 'p.anchors', reason: '3 partitions expected, 1 found' },
      { topic: 'p.reports', reason: 'one copy' },
    ];
    expect(byReason(found)).toBe('one copy: p.agents, p.anchors, p.reports; 3 partitions expected, 1 found: p.anchors');
  });

  it('lists every worse setting', () => {
    const worse = {
      'cleanup.policy': 'compact',
      'retention.ms': '3600000',
      'retention.bytes': '1000',
      'max.message.bytes': '1048588',
      'message.timestamp.type': 'CreateTime',
      'unclean.leader.election.enable': 'true',
    };
    const found = { partitions: 12, replicas: 3, settings: settings('agent-events', worse) };
    const reasons = worseThanNeeded(TOPICS['agent-events'], found, false);
    for (const name of Object.keys(worse)) expect(reasons.filter((reason) => reason.includes(name))).toHaveLength(1);
    const kept = { partitions: 3, replicas: 3, settings: settings('agents', { 'cleanup.policy': 'compact,delete' }) };
    expect(worseThanNeeded(TOPICS.agents, kept, false)).toEqual([expect.stringContaining('cleanup.policy')]);
  });
});
