import { createHash } from 'node:crypto'
import type { Context } from '../../context.ts'
import type { Simulator } from '../../providers/sandbox/simulator.ts'
import { handsetRoutes } from '../../sandbox/handset-routes.ts'
import type { App } from '../app.ts'
import { type Html, html, rawHtml, textOf } from '../reference/html.ts'
import { handsetScript } from './handset-script.ts'
import { handsetStyle } from './handset-style.ts'
import { mark } from './page.ts'

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** As strict as the policy of the dashboard: this page's own style and script, and calls of this server. */
const policy = `default-src 'none'; style-src ${hashOf(handsetStyle)}; script-src ${hashOf(handsetScript)}; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

/** `/handset`, on a development stack only: a page that plays the customer's phone. */
export function registerHandset(app: App, ctx: Context, simulator: Simulator): void {
  app.get('/handset', { config: { isPublic: true } }, (_, reply) =>
    reply.header('content-security-policy', policy).type('text/html; charset=utf-8').send(page),
  )
  handsetRoutes(app, ctx, simulator)
}

const key = (digit: string) => html`<button type="button" class="key" data-digit="${digit}">${digit}</button>`
const keys: readonly Html[] = ['1', '2', '3', '4', '5', '6', '7', '8', '9'].map(key)

const chooser = html`<form class="sheet" data-view="choose">
<h1>Play the customer</h1>
<p>Choose the phone of a sandbox customer. While this page is open, mobile money charges to it wait for your PIN.</p>
<label for="number">Phone number</label>
<input id="number" name="number" type="tel" inputmode="tel" autocomplete="off" maxlength="20" placeholder="+254 703 456 789" required>
<p class="problem" role="alert" data-problem hidden></p>
<button class="main">Open this phone</button>
</form>`

const idle = html`<section class="sheet home" data-view="idle" hidden>
<p class="clock" data-clock></p>
<p class="date" data-date></p>
<div class="push"></div>
<h1 class="wait"><span class="dot" aria-hidden="true"></span><span data-waiting>Waiting for a charge to this phone</span></h1>
<p class="result" role="status" data-result></p>
<button type="button" class="plain" data-change>Use another phone</button>
</section>`

const prompt = html`<section class="sheet" data-view="prompt" aria-labelledby="prompt-title" hidden>
<p class="operator" data-operator></p>
<h1 id="prompt-title" tabindex="-1">Pay <span class="amount" data-amount></span></h1>
<dl><div><dt>To</dt><dd data-merchant></dd></div><div><dt>Reference</dt><dd data-reference></dd></div></dl>
<p class="left" data-left></p>
<p class="dots" role="status" aria-live="polite" data-dots></p>
<div class="keys" role="group" aria-label="PIN">${keys}
<button type="button" class="key small" data-erase>Delete</button>${key('0')}<button type="button" class="key pay" data-pay disabled>Pay</button></div>
<button type="button" class="decline" data-decline>Decline</button>
<p class="problem" role="alert" data-problem hidden></p>
</section>`

const page = textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<title>Handset · Malipo</title>
<style>${rawHtml(handsetStyle)}</style>
</head>
<body>
<main>
<div class="phone">
<header><span class="brand">${mark(20)}<b>Handset</b></span><span class="pill">Sandbox</span><span class="number" data-number></span></header>
${chooser}${idle}${prompt}
<noscript><p class="problem">The handset needs JavaScript in this browser.</p></noscript>
</div>
<p class="note">Any four digits are the right PIN. It stays on this page: it is not sent and not stored.</p>
</main>
<script type="module">${rawHtml(handsetScript)}</script>
</body>
</html>
`)
