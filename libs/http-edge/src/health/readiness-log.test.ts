import { ReadinessLog } from './readiness-log.js';

it('names what is missing after two seconds, every ten again, and says when it is ready', () => {
  let now = 0;
  let problems: readonly string[] = ['identity: no answer'];
  const told: string[] = [];
  const log = {
    info: (words: string) => told.push(`${now} ${words}`),
    warn: ({ waitingFor }: { waitingFor: readonly string[] }) => told.push(`${now} ${waitingFor.join(', ')}`),
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
  expect(told).toEqual(['2000 identity: no answer', '12000 identity: no answer', '13000 ready']);

  told.length = 0;
  problems = ['Kafka: gone'];
  readiness.look();
  now += 1000;
  problems = [];
  readiness.look();
  expect(told).toEqual([]);
});
