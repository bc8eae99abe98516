import { loadSqlParser } from '../browser/sql-parser.js';
import { provideSqlParser } from './sql-parser.js';

// Awaited here: the import of this library ends only when the parser can be used, so no rule is compiled without it.
provideSqlParser(await loadSqlParser());
