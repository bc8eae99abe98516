import { ReadinessLog } from './readiness-log.js';

it('logs reasons after two seconds, then every ten, and when it is ready', () => {
  let now = 0;
  let problems: readonly string[] = ['identity: no answer'];
  const logged: string[] = [];
  const log = {
    info: (words: string) => logged.push(`${now} ${words}`),
    warn: ({ waitingFor }: { waitingFor: readonly string[] }) => logged.push(`${now} ${waitingFor.join(', ')}`),
  };
  const readiness = new ReadinessLog(
    log as never,
    () => problems,
    () => now,
  );
  readiness.stop();
  for (; now < 13_000; now += 500) readiness.look();
  problems = [];
  readiness.look();
  readiness.look();
  expect(logged).toEqual(['2000 identity: no answer', '12000 identity: no answer', '13000 ready']);

  logged.length = 0;
  problems = ['Kafka: gone'];
  readiness.look();
  now += 1000;
  problems = [];
  readiness.look();
  expect(logged).toEqual([]);
});
