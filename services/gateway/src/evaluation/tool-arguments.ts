import { canonicalize } from '@countersign/evidence';
import type { EvaluationParts, JsonValue } from '@countersign/contracts';
import { isToolType, memberMeant } from '@countersign/policy-engine';

type Members = { readonly [member: string]: JsonValue };

const DIFFER = 'the arguments of action.properties, resource.properties and context differ: send them once';

/**
 * Moves the `arguments` of a call of a tool to the payload of the check, where rules read them as `args`. COAZ-MCP leaves open
 * where its mapping puts them: in the properties of the action or the resource, or in the context. An explicit payload stays.
 * @returns what to change in the evaluation, as text
 */
export function withArgumentsAsPayload(parts: EvaluationParts): EvaluationParts | string {
  const { action, resource, context } = parts;
  if (!isCall(action?.name ?? '') && memberMeant(resource?.type ?? '') !== 'tool') return parts;
  const places = [action?.properties, resource?.properties, context] as readonly (Members | undefined)[];
  if (places[0]?.['payload'] !== undefined || places[1]?.['payload'] !== undefined) return parts;
  const found = places.map((place) => place?.['arguments']).filter((value) => value !== undefined);
  const [payload] = found;
  if (payload === undefined) return parts;
  if (found.some((value) => canonicalize(value) !== canonicalize(payload))) return DIFFER;
  const [properties, ofResource, others] = places.map(withoutArguments);
  return {
    ...parts,
    action: { ...action, properties: { ...properties, payload } },
    ...(resource === undefined || ofResource === undefined
      ? {}
      : { resource: { ...resource, properties: ofResource } }),
    ...(others === undefined ? {} : { context: others }),
  };
}

/** `tools/call` is a method, which is no type of an action. */
function isCall(name: string): boolean {
  return isToolType(name.replace('/', '_'));
}

function withoutArguments(place: Members | undefined): Members | undefined {
  if (place?.['arguments'] === undefined) return place;
  const { arguments: _moved, ...others } = place;
  return others;
}
