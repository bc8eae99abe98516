import { nullable, object, type JsonOf } from './http/json-schema.js';

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
  },
  additionalProperties: false,
} as const;

/** Body of `PUT /v1/compliance-scope`; `null` is undeclared. */
export type ComplianceScopeBody = JsonOf<typeof complianceScopeSchema>;

/** The declaration of an account; absent members are undeclared. */
export type ComplianceScope = { readonly [K in keyof ComplianceScopeBody]: NonNullable<ComplianceScopeBody[K]> };
