/** Texts and examples of an operation in the OpenAPI document, in addition to its schemas. */
export interface OperationNote {
  /** CommonMark: purpose, effects, and what its caller has to know. */
  readonly description: string;
  /** A valid body; several have names. */
  readonly body?: unknown;
  readonly bodies?: NamedExamples;
  /** Answers by status; several of one status have names. */
  readonly answers?: Readonly<Record<number, unknown>>;
  readonly namedAnswers?: Readonly<Record<number, NamedExamples>>;
}

export type NamedExamples = Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>;

export type OperationNotes = Readonly<Record<string, OperationNote>>;

/** Ids of the examples. */
export const EXAMPLE = {
  agent: '7c1f8a52-3d0e-4b61-9c37-5f0e2a94d610',
  event: '01a20038-91aa-71c6-928d-4e46bb344f5b',
  client: 'https://agents.example.com/orders',
  at: '2026-03-01T09:30:00.000Z',
} as const;
