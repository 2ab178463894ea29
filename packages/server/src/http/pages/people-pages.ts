import { html, type Part } from '../reference/html.ts'
import { fingerprint, lock, mark, peoplePage, problem, splitPage, themeSwitch } from './page.ts'
import { scripts } from './page-scripts.ts'

interface Site {
  readonly host: string
  /** The host of the operator's OIDC provider, if there is one. */
  readonly identityProvider: string | undefined
  readonly style: string
}

/** The pages of people, which are the same for every visitor: scripts fill them. */
export function peoplePages({ host, identityProvider, style }: Site): Record<keyof typeof scripts, string> {
  const page = (name: keyof typeof scripts, title: string, body: Part) =>
    peoplePage({ title, page: name, style, script: scripts[name], body: html`${body}` })
  return {
    'sign-in': page('sign-in', 'Sign in', splitPage(host, signIn(identityProvider))),
    invitation: page('invitation', 'Invitation', [
      splitPage(host, invitation(identityProvider)),
      stepUp(identityProvider, '/invitation'),
    ]),
    device: page('device', 'Approve a command line', [splitPage(host, device), stepUp(identityProvider, '/device')]),
    account: page('account', 'Your account', [account, stepUp(identityProvider, '/account')]),
  }
}

const needsScript = html`<noscript><p class="note">Signing in needs JavaScript in this browser.</p></noscript>`

const codeInput = html`<label>Code of your authenticator app<input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="7" required></label>`

const oidcLink = (provider: string) =>
  html`<a class="button" data-sign-in-oidc href="/people/v1/sign-in/oidc">Continue with ${provider}</a>`

const signIn = (provider: string | undefined) => html`<div class="stack"><h1>Sign in</h1>
<p class="dim">Merchant and staff dashboard</p></div>
${needsScript}${problem}
<div class="wide" data-passkey>
<div class="stack full"><button type="button" class="first" data-sign-in-passkey>${fingerprint}Continue with a passkey</button>
<p class="hint">${lock}<span>Your device asks for a fingerprint, face or PIN. There is no password to steal.</span></p></div>
<div class="or">or</div>
</div>
${provider === undefined ? '' : html`<div class="full">${oidcLink(provider)}</div>`}
<form class="stack full" data-sign-in-password>
<label>E-mail<input type="email" name="email" autocomplete="username" placeholder="you@company.co.ke" maxlength="254" required></label>
<div class="stack" data-password-fields hidden>
<label>Password<input type="password" name="password" autocomplete="current-password" maxlength="256"></label>
<label>Code of your authenticator app<input class="code" name="code" inputmode="numeric" autocomplete="one-time-code" maxlength="7"></label>
</div>
<button data-password-button>Use password and code</button>
</form>
<p class="small dim">Lost your device? Ask an administrator or an owner of your team.</p>`

const authenticatorSteps = html`<ol class="steps">
<li><div class="stack"><span>Choose a password of at least 12 characters.</span>
<label>Password<input type="password" name="password" autocomplete="new-password" minlength="12" maxlength="256" required></label></div></li>
<li><div class="stack"><span>Scan this code with an authenticator app, <a data-uri href="#">open the app on this device</a>, or type the key.</span>
<svg class="qr" data-qr role="img" aria-label="QR code of the key" hidden><path/></svg>
<p class="mono" data-secret></p></div></li>
<li><div class="stack"><span>Enter the code that the app shows.</span>${codeInput}</div></li>
</ol>`

const invitation = (provider: string | undefined) => html`<div class="stack"><h1 data-title>Invitation</h1>
<p class="dim">The link works once, for 72 hours.</p></div>
${needsScript}${problem}
<div class="wide" data-found hidden>
<dl class="facts">
<div><dt>Name</dt><dd data-name></dd></div>
<div><dt>E-mail</dt><dd data-email></dd></div>
<div><dt>Role</dt><dd data-role></dd></div>
<div><dt>Scope</dt><dd data-scope></dd></div>
</dl>
<label class="full" data-confirmation-field hidden>Confirmation code<input class="code" data-confirmation autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="BCDF-GHJK" maxlength="20">
<span class="small dim">The person who approved your invitation has it.</span></label>
<div class="wide" data-new-person hidden>
<div class="wide" data-choose>
<div class="stack full" data-passkey><button type="button" class="first" data-join-passkey>${fingerprint}<span data-join-words>Create a passkey and join</span></button>
<p class="hint">${lock}<span>Your device asks for a fingerprint, face or PIN. There is no password to steal.</span></p></div>
<div class="full"><button type="button" data-start-password>Use password and authenticator app</button></div>
</div>
<form class="wide full" data-join-password hidden>${authenticatorSteps}<button class="first">Continue</button></form>
</div>
<div class="stack full" data-known-person hidden>
<p>You have an account already. Sign in to add this role to it.</p>
<a class="button" href="/sign-in?next=/invitation">Sign in</a>
</div>
<div class="stack full" data-oidc hidden>
<p>You sign in with your account at ${provider ?? 'the identity provider'}. The first sign-in accepts this invitation.</p>
${provider === undefined ? '' : oidcLink(provider)}
</div>
<div class="full"><button type="button" class="first full" data-join hidden>Add this role</button></div>
</div>`

const device = html`<div class="stack"><h1>Approve a command line</h1>
<p class="dim">Signed in as <span data-me></span></p></div>
${needsScript}${problem}
<form class="stack full" data-code-form>
<label>Code in your terminal<input class="code" name="userCode" autocomplete="off" autocapitalize="characters" spellcheck="false" placeholder="BCDF-GHJK" minlength="8" maxlength="12" required></label>
<p class="hint">${lock}<span>Type only a code that your own terminal shows. Never one that was sent to you.</span></p>
<button class="first">Continue</button>
</form>
<div class="wide" data-decision hidden>
<dl class="facts">
<div><dt>Address</dt><dd data-address></dd></div>
<div><dt>Program</dt><dd data-program></dd></div>
<div><dt>Started</dt><dd data-time></dd></div>
</dl>
<p>It can do everything that you may do, for 12 hours.</p>
<div class="stack full"><button type="button" class="first" data-approve>Approve this command line</button>
<button type="button" data-deny>Deny</button></div>
</div>
<p class="note good" role="status" data-result hidden></p>`

const stepUp = (
  provider: string | undefined,
  next: string,
) => html`<dialog data-step-up aria-labelledby="step-up-title">
<div class="wide">
<div class="stack"><h2 id="step-up-title">Confirm that it is you</h2>
<p class="dim">This change needs a proof that you are here, from the last 5 minutes.</p></div>
${problem}
<div class="full"><button type="button" class="first" data-step-up-passkey>${fingerprint}Confirm with a passkey</button></div>
${provider === undefined ? '' : html`<div class="full"><a class="button" href="/people/v1/step-up/oidc?next=${next}">Confirm with ${provider}</a></div>`}
<form class="stack full" data-step-up-password>
<label>Password<input type="password" name="password" autocomplete="current-password" maxlength="256" required></label>
${codeInput}
<button>Confirm with password and code</button>
</form>
<div class="full"><button type="button" class="plain" data-step-up-cancel>Cancel</button></div>
</div>
</dialog>`

const account = html`<div class="account">
<header>${mark(28)}<b class="push">Malipo</b><a class="button plain" data-dashboard href="/dashboard" hidden>Open the dashboard</a>${themeSwitch}<button type="button" class="plain" data-sign-out>Sign out</button></header>
<main>
${needsScript}${problem}
<div class="wide" data-content hidden>
<div class="stack"><h1 data-me-name></h1><p class="dim" data-me-email></p><div class="tags" data-roles></div></div>
<section class="card" aria-labelledby="ways-title">
<div class="row"><h2 class="push" id="ways-title">Ways to sign in</h2><button type="button" class="plain" data-add-passkey>Add a passkey</button><button type="button" class="plain" data-add-password>Set password</button></div>
<ul data-ways></ul>
<form class="wide full" data-password-form hidden>${authenticatorSteps}<button>Save password and app</button></form>
</section>
<section class="card" aria-labelledby="sessions-title">
<div class="row"><h2 class="push" id="sessions-title">Sessions</h2></div>
<ul data-sessions></ul>
</section>
</div>
</main>
</div>`
