export const SUBJECT = 'gateway on Kafka, 1 core';
