import { Ajv2020 } from 'ajv/dist/2020.js';
import { exportBody, type Framework } from '@countersign/contracts';
import { HttpRefusal } from '@countersign/service-kit';

/** Body of `POST /v1/events/export-signed`, judged and normalised. */
export interface ExportRequest {
  /** Lower case; empty means all agents of the account. */
  readonly agentIds: readonly string[];
  readonly format: 'json' | 'pdf';
  readonly frameworks: readonly Framework[];
  /** ISO 8601 UTC with milliseconds. An event of `from` is in, one of `to` is not. */
  readonly from: string;
  readonly to: string;
  readonly withhold: readonly ('action' | 'payload')[];
}

const validate = new Ajv2020({ allErrors: false, strict: true }).compile(exportBody);

/** @throws HttpRefusal 400 that says what to change */
export function readExportRequest(body: unknown): ExportRequest {
  if (typeof body === 'object' && body !== null && Object.hasOwn(body, 'framework'))
    throw new HttpRefusal(400, 'framework is no longer accepted: send frameworks, a list');
  if (!validate(body)) {
    const error = validate.errors?.[0];
    const where = error?.instancePath.slice(1).replaceAll('/', '.') ?? '';
    const unknown = error?.keyword === 'additionalProperties' ? ` (${String(error.params['additionalProperty'])})` : '';
    const values = error?.keyword === 'enum' ? `: ${(error.params['allowedValues'] as string[]).join(', ')}` : '';
    throw new HttpRefusal(
      400,
      `${where === '' ? 'the body' : where} ${error?.message ?? 'is malformed'}${unknown}${values}`,
    );
  }
  const {
    agentIds = [],
    format,
    frameworks,
    from,
    to,
    withhold = [],
  } = body as Partial<ExportRequest> & Pick<ExportRequest, 'format' | 'frameworks' | 'from' | 'to'>;
  const range = { from: instant('from', from), to: instant('to', to) };
  if (range.from >= range.to) throw new HttpRefusal(400, 'from must be before to');
  return { agentIds: [...new Set(agentIds.map((id) => id.toLowerCase()))], format, frameworks, ...range, withhold };
}

function instant(name: string, text: string): string {
  const ms = Date.parse(text);
  const date = new Date(ms);
  if (Number.isNaN(ms) || date.getUTCFullYear() > 9999) throw new HttpRefusal(400, `${name} is not a date that exists`);
  return date.toISOString();
}
