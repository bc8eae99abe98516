import { Controller, Inject } from '@nestjs/common';
import { policyRoutes } from '@countersign/contracts';
import type { BehaviorProfile, PreviewRequest, ProfilePreview } from '@countersign/contracts';
import { profileWarnings } from '@countersign/policy-engine';
import { HttpRefusal } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { ApiKeyCaller, RouteInput } from '@countersign/http-edge';
import type { AgentChanges } from '../change-agent/agent-changes.js';
import { readPatchFor } from '../domain/profile.js';
import { previewCases, readCases } from '../preview/preview-cases.js';
import { previewProfile } from '../preview/preview-profile.js';
import type { SafetyPackage } from '../safety-packages/load-packages.js';
import { agentId, byKey, byUser } from './agents-controller.js';
import { AGENT_CHANGES, SAFETY_PACKAGES } from './tokens.js';

/** A profile as a change of it is answered. The warnings are no part of it. */
type ChangedProfile = BehaviorProfile & { readonly warnings?: readonly string[] };

function withWarnings(profile: BehaviorProfile): ChangedProfile {
  const warnings = profileWarnings(profile);
  return warnings.length === 0 ? profile : { ...profile, warnings };
}

@Controller()
export class ProfilesController {
  constructor(
    @Inject(AGENT_CHANGES) private readonly changes: AgentChanges,
    @Inject(SAFETY_PACKAGES) private readonly packages: () => readonly SafetyPackage[],
  ) {}

  @HttpRoute(policyRoutes.getProfile)
  async get(@Input() { caller, params }: RouteInput): Promise<BehaviorProfile> {
    return (await this.changes.find(caller.accountId, agentId(params))).facts.profile;
  }

  @HttpRoute(policyRoutes.updateProfile)
  async update(@Input() { caller, params, body }: RouteInput): Promise<ChangedProfile> {
    const id = agentId(params);
    const read = readPatchFor(id, body);
    if ('error' in read) throw new HttpRefusal(400, read.error);
    return withWarnings((await this.changes.changeProfile(byUser(caller), id, read.patch)).facts.profile);
  }

  @HttpRoute(policyRoutes.previewProfile)
  async preview(@Input() { caller, params, body }: RouteInput<PreviewRequest>): Promise<ProfilePreview> {
    const cases = readCases(body.cases ?? []);
    const { facts } = await this.changes.find(caller.accountId, agentId(params));
    const preview = previewProfile(facts.profile, body.profile, body.rules);
    const { profile } = preview;
    return {
      ...preview,
      cases: cases.length === 0 || profile === null ? null : await previewCases(caller.accountId, profile, cases),
    };
  }

  @HttpRoute(policyRoutes.readProfileByKey)
  async getByKey(@Input() { caller, params }: RouteInput<unknown, unknown, ApiKeyCaller>): Promise<BehaviorProfile> {
    return (await this.changes.find(caller.accountId, agentId(params))).facts.profile;
  }

  @HttpRoute(policyRoutes.putProfileByKey)
  async putByKey(@Input() input: RouteInput<unknown, unknown, ApiKeyCaller>): Promise<ChangedProfile> {
    const id = agentId(input.params);
    const read = readPatchFor(id, input.body);
    if ('error' in read) throw new HttpRefusal(400, read.error);
    return withWarnings((await this.changes.putProfile(byKey(input.caller), id, read.patch)).facts.profile);
  }

  @HttpRoute(policyRoutes.listSafetyPackages)
  list(): { readonly packages: readonly Omit<SafetyPackage, 'cases'>[] } {
    return { packages: this.packages().map(({ id, name, description, rules }) => ({ id, name, description, rules })) };
  }

  @HttpRoute(policyRoutes.applySafetyPackage)
  async apply(@Input() { caller, params, body }: RouteInput<{ readonly packageId: string }>): Promise<ChangedProfile> {
    const id = agentId(params);
    await this.changes.find(caller.accountId, id);
    const chosen = this.packages().find((safetyPackage) => safetyPackage.id === body.packageId);
    if (chosen === undefined) {
      throw new HttpRefusal(404, 'no such safety package: GET /v1/safety-packages lists them');
    }
    return withWarnings((await this.changes.applyPackage(byUser(caller), id, chosen.rules)).facts.profile);
  }
}
