/** PostgreSQL's parser in one file, which the service serves beside the page, with its WebAssembly. */
export * from '@countersign/rules/sql-parser';
