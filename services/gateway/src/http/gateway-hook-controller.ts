import { Controller, Inject } from '@nestjs/common';
import { gatewayHookRoutes } from '@countersign/contracts';
import type { HttpAnswer } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { ExtAuthzAnswerer, ExtAuthzInput } from '../hooks/ext-authz-answerer.js';
import type { GuardrailAnswerer } from '../hooks/guardrail-answerer.js';
import type { HookInput } from '../hooks/hook-answerer.js';

export const GUARDRAIL_ANSWERER = Symbol('guardrail answerer');
export const EXT_AUTHZ_ANSWERER = Symbol('ext authz answerer');

@Controller()
export class GatewayHookController {
  constructor(
    @Inject(GUARDRAIL_ANSWERER) private readonly guardrails: GuardrailAnswerer,
    @Inject(EXT_AUTHZ_ANSWERER) private readonly extAuthz: ExtAuthzAnswerer,
  ) {}

  @HttpRoute(gatewayHookRoutes.guardrail)
  guardrail(@Input() input: HookInput): Promise<HttpAnswer> {
    return this.guardrails.answer(input);
  }

  @HttpRoute(gatewayHookRoutes.extAuthz)
  authorize(@Input() input: ExtAuthzInput): Promise<HttpAnswer> {
    return this.extAuthz.answer(input);
  }
}
