import { Controller, Inject } from '@nestjs/common';
import { singleSignOnRoutes } from '@countersign/contracts';
import type { SignInMethods } from '@countersign/contracts';
import { cookieNameAt, HttpAnswer, HttpRefusal, setCookie } from '@countersign/http-edge';
import type { RouteInput } from '@countersign/http-edge';
import { HttpRoute, Input } from '@countersign/service-kit';
import type { ServiceContext } from '@countersign/service-kit';
import type { SingleSignOn } from '../single-sign-on/single-sign-on.js';
import { flowCookieOf, setFlowCookie } from './flow-cookie.js';
import { refuseHost } from './refuse-host.js';
import { SERVICE_CONTEXT, SINGLE_SIGN_ON } from './tokens.js';

type PublicInput = RouteInput<unknown, unknown, null>;

/** Sign-in at a provider of OpenID Connect, for browsers: each answer sends them on. */
@Controller()
export class SingleSignOnController {
  constructor(
    @Inject(SINGLE_SIGN_ON) private readonly singleSignOn: SingleSignOn | null,
    @Inject(SERVICE_CONTEXT) private readonly context: ServiceContext,
  ) {}

  @HttpRoute(singleSignOnRoutes.getSignInMethods)
  methods(): SignInMethods {
    return { singleSignOn: this.singleSignOn?.offer() ?? null };
  }

  @HttpRoute(singleSignOnRoutes.startSingleSignOn)
  async start(@Input() { headers }: PublicInput): Promise<HttpAnswer> {
    const singleSignOn = this.#setUp();
    const { publicUrl } = this.context.config;
    const name = cookieNameAt(headers, publicUrl) ?? refuseHost(publicUrl);
    const { location, cookie } = await singleSignOn.start();
    return redirect(location, { 'set-cookie': setFlowCookie(name, cookie) });
  }

  @HttpRoute(singleSignOnRoutes.finishSingleSignOn)
  async finish(@Input() { headers, sent, remoteAddress }: PublicInput): Promise<HttpAnswer> {
    const singleSignOn = this.#setUp();
    const { publicUrl } = this.context.config;
    const name = cookieNameAt(headers, publicUrl) ?? refuseHost(publicUrl);
    const query = /\?(.*)$/s.exec(sent.target)?.[1] ?? '';
    const signedIn = await singleSignOn.finish(query, flowCookieOf(headers, name), remoteAddress);
    const console = `${this.context.publicUrl()}/console`;
    if (typeof signedIn === 'string') return redirect(`${console}#/single-sign-on/${signedIn}`);
    const seconds = Math.floor((Date.parse(signedIn.expiresAt) - this.context.clock()) / 1000);
    return redirect(console, { 'set-cookie': setCookie(name, signedIn.token, seconds) });
  }

  #setUp(): SingleSignOn {
    if (this.singleSignOn !== null) return this.singleSignOn;
    throw new HttpRefusal(404, 'single sign-on is not set up here: sign in with a password');
  }
}

/** Its address holds what is for one browser and one time. */
function redirect(location: string, headers: Readonly<Record<string, string>> = {}): HttpAnswer {
  return HttpAnswer.empty(302, { location, 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', ...headers });
}
