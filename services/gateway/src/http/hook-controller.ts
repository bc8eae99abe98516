import { Controller, Inject } from '@nestjs/common';
import { hookRoutes } from '@countersign/contracts';
import type { HttpAnswer } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { HookAnswerer, HookInput } from '../hooks/hook-answerer.js';

export const HOOK_ANSWERER = Symbol('hook answerer');

@Controller()
export class HookController {
  constructor(@Inject(HOOK_ANSWERER) private readonly hooks: HookAnswerer) {}

  @HttpRoute(hookRoutes.claudeCode)
  claudeCode(@Input() input: HookInput): Promise<HttpAnswer> {
    return this.hooks.answer('claude-code', input);
  }

  @HttpRoute(hookRoutes.codex)
  codex(@Input() input: HookInput): Promise<HttpAnswer> {
    return this.hooks.answer('codex', input);
  }

  @HttpRoute(hookRoutes.cursor)
  cursor(@Input() input: HookInput): Promise<HttpAnswer> {
    return this.hooks.answer('cursor', input);
  }

  @HttpRoute(hookRoutes.gemini)
  gemini(@Input() input: HookInput): Promise<HttpAnswer> {
    return this.hooks.answer('gemini', input);
  }

  @HttpRoute(hookRoutes.copilot)
  copilot(@Input() input: HookInput): Promise<HttpAnswer> {
    return this.hooks.answer('copilot', input);
  }
}
