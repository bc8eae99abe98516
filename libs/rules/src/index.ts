import './host/load-sql-parser.js';

export * from './browser/rules.js';
