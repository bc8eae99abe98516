/**
 * A program for fault injection: commits one row for each number that it reads and answers in one line,
 * `ok NUMBER BEGAN ENDED` (ns of the monotonic clock) or `failed NUMBER CODE`.
 * Usage: node probe.mjs DATABASE SYNCHRONOUS
 */
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';

const [, , path, synchronous] = process.argv;
const database = new Database(path);
database.pragma('journal_mode = WAL');
database.pragma(`synchronous = ${synchronous}`);
database.exec('CREATE TABLE IF NOT EXISTS rows (number INTEGER PRIMARY KEY, body BLOB NOT NULL)');
const insert = database.prepare('INSERT INTO rows VALUES (?, ?)');
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const number = Number(line);
  const began = process.hrtime.bigint();
  try {
    insert.run(number, Buffer.alloc(3000, number % 251));
    console.log(`ok ${number} ${began} ${process.hrtime.bigint()}`);
  } catch (error) {
    console.log(`failed ${number} ${error.code}`);
  }
}
