/** Brokers that a test may use, or `null`. */
export const TEST_BROKERS = process.env['COUNTERSIGN_TEST_KAFKA_BROKERS']?.split(',') ?? null;
