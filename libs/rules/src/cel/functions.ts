import { hostFunctions } from '../host/host-functions.js';
import { conversions } from './conversions.js';
import type { CelFunction } from './function.js';
import { standardFunctions } from './standard-functions.js';

/** All functions by name. */
export const FUNCTIONS: Readonly<Record<string, CelFunction>> = {
  ...standardFunctions,
  ...conversions,
  ...hostFunctions,
};
