import { Controller, Inject } from '@nestjs/common';
import { secondFactorRoutes } from '@countersign/contracts';
import type {
  BodyOf,
  SecondFactorEnrolment,
  SecondFactorState,
  SignedIn,
  WithRecoveryCodes,
} from '@countersign/contracts';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { RouteInput } from '@countersign/http-edge';
import type { FinishSignIn } from '../second-factor/finish-sign-in.js';
import type { SecondFactors } from '../second-factor/second-factors.js';
import { idOf } from './paths.js';
import { FINISH_SIGN_IN, SECOND_FACTORS } from './tokens.js';

type Body<R extends 'beginEnrolment' | 'enrol' | 'renewRecoveryCodes' | 'removeSecondFactor' | 'setRequirement'> =
  RouteInput<BodyOf<(typeof secondFactorRoutes)[R]>>;
type PublicBody<R extends 'beginEnrolmentAtSignIn' | 'finishSignIn'> = RouteInput<
  BodyOf<(typeof secondFactorRoutes)[R]>,
  unknown,
  null
>;

@Controller()
export class SecondFactorController {
  constructor(
    @Inject(SECOND_FACTORS) private readonly factors: SecondFactors,
    @Inject(FINISH_SIGN_IN) private readonly signIn: FinishSignIn,
  ) {}

  @HttpRoute(secondFactorRoutes.beginEnrolmentAtSignIn)
  beginAtSignIn(@Input() { body }: PublicBody<'beginEnrolmentAtSignIn'>): Promise<SecondFactorEnrolment> {
    return this.signIn.beginEnrolment(body.token);
  }

  @HttpRoute(secondFactorRoutes.finishSignIn)
  finish(@Input() { body, remoteAddress }: PublicBody<'finishSignIn'>): Promise<SignedIn & WithRecoveryCodes> {
    const { token, code, enrolment = null } = body;
    return this.signIn.finish({ token, code, enrolment }, remoteAddress);
  }

  @HttpRoute(secondFactorRoutes.getSecondFactor)
  get(@Input() { caller }: RouteInput): Promise<SecondFactorState> {
    return this.factors.of(caller);
  }

  @HttpRoute(secondFactorRoutes.beginEnrolment)
  begin(@Input() { caller, body, remoteAddress }: Body<'beginEnrolment'>): Promise<SecondFactorEnrolment> {
    return this.factors.begin(caller, body.password, remoteAddress);
  }

  @HttpRoute(secondFactorRoutes.enrol)
  async enrol(@Input() { caller, body }: Body<'enrol'>): Promise<object> {
    return { recoveryCodes: await this.factors.enrol(caller, body.enrolment, body.code) };
  }

  @HttpRoute(secondFactorRoutes.renewRecoveryCodes)
  async renew(@Input() { caller, body, remoteAddress }: Body<'renewRecoveryCodes'>): Promise<object> {
    return { recoveryCodes: await this.factors.renewRecoveryCodes(caller, body.code, remoteAddress) };
  }

  @HttpRoute(secondFactorRoutes.removeSecondFactor)
  remove(@Input() { caller, body, remoteAddress }: Body<'removeSecondFactor'>): Promise<void> {
    return this.factors.remove(caller, body.code, remoteAddress);
  }

  @HttpRoute(secondFactorRoutes.setRequirement)
  async setRequirement(@Input() { caller, body }: Body<'setRequirement'>): Promise<object> {
    await this.factors.require(caller, body.required);
    return { required: body.required };
  }

  @HttpRoute(secondFactorRoutes.resetSecondFactor)
  reset(@Input() { caller, params }: RouteInput): Promise<void> {
    return this.factors.reset(caller, idOf(params));
  }
}
