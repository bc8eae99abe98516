import { nullable, object, type JsonOf } from './http/json-schema.js';

const declaredText = { type: 'string', minLength: 1, maxLength: 200 } as const;

export const complianceScopeSchema = {
  type: 'object',
  properties: {
    soc2: nullable(
      object({
        categories: {
          type: 'array',
          items: { enum: ['security', 'availability', 'processing-integrity', 'confidentiality', 'privacy'] },
          uniqueItems: true,
        },
      }),
    ),
    hipaa: nullable(object({ ephi: { type: 'boolean' } })),
    euaiact: nullable(
      object({
        classification: { enum: ['high-risk-annex-iii', 'high-risk-annex-i', 'not-high-risk', 'not-assessed'] },
      }),
    ),
    nydfs: nullable(object({ coveredEntity: { type: 'boolean' } })),
    audited: {
      ...nullable(object({ organisation: declaredText, system: declaredText, environment: declaredText })),
      description: 'What reports are about, on their first page; absent in an answer: undeclared',
    },
    mappingReview: {
      ...nullable(
        object({
          by: declaredText,
          on: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' },
          mappingVersion: declaredText,
        }),
      ),
      description: 'The review of a version of the control mapping by a third party; absent in an answer: undeclared',
    },
  },
  additionalProperties: false,
} as const;

/** Body of `PUT /v1/compliance-scope`; `null` is undeclared. */
export type ComplianceScopeBody = JsonOf<typeof complianceScopeSchema>;

/** The declaration of an account; absent members are undeclared. */
export type ComplianceScope = { readonly [K in keyof ComplianceScopeBody]: NonNullable<ComplianceScopeBody[K]> };
