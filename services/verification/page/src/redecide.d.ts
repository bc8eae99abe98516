/** Re-decision in one file, which the service serves beside the page. */
export * from '@countersign/redecide/browser';
