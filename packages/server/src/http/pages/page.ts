import { type Html, html, type Part, rawHtml, textOf } from '../reference/html.ts'

/** A page of people's own, with its only style element and its only script element. */
export function peoplePage({
  title,
  page,
  style,
  script,
  body,
}: {
  readonly title: string
  /** The name by which the script knows the page. */
  readonly page: string
  readonly style: string
  readonly script: string
  readonly body: Html
}): string {
  return textOf(html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} · Malipo</title>
<style>${rawHtml(style)}</style>
</head>
<body data-page="${page}">
${body}
<script type="module">${rawHtml(script)}</script>
</body>
</html>
`)
}

/** The frame of pages for people who are not signed in: what Malipo does on the left, the form on the right. */
export function splitPage(host: string, form: Part): Html {
  return html`<main class="split">
<section class="art" aria-hidden="true">
<div class="row">${mark(34)}<b>Malipo</b></div>
${entry}
<p>Every payment is accepted once, sent once and booked to the cent.</p>
</section>
<section class="panel">
<div class="wide">
<div class="mark-small">${mark(40)}</div>
${form}
</div>
<footer>${lock}<b>${host}</b><span class="push">Check this address before you sign in.</span>${themeSwitch}</footer>
</section>
</main>`
}

export const mark = (size: number) =>
  html`<svg width="${size}" height="${size}" viewBox="0 0 32 32" aria-hidden="true"><rect width="32" height="32" rx="8" fill="#0f8a63"/><path d="M7 23V11l9 8 9-8v12" fill="none" stroke="#fff" stroke-width="3.2" stroke-linecap="round" stroke-linejoin="round"/></svg>`

const line = (y: number, opacity: string) => html`<path d="M28 ${y}H492" stroke="#fff" stroke-opacity="${opacity}"/>`
const row = (y: number, name: string, debit: string, credit: string) =>
  html`<text x="44" y="${y}" fill="#a9d6c3">${name}</text><text x="330" y="${y}" text-anchor="end" fill="#eaf6f0">${debit}</text><text x="470" y="${y}" text-anchor="end" fill="#eaf6f0">${credit}</text>${line(y + 10, '.1')}`

/** A payment with its fee as a double entry, whose difference is zero. */
const entry = html`<svg class="entry" viewBox="0 0 520 250">
<text x="44" y="28" fill="#a9d6c3">KES</text><text x="330" y="28" text-anchor="end" fill="#a9d6c3">Debit</text><text x="470" y="28" text-anchor="end" fill="#a9d6c3">Credit</text>
${line(40, '.4')}<path d="M350 12V236" stroke="#fff" stroke-opacity=".22"/>
${row(70, 'Wallet', '18,500.00', '')}${row(110, 'Clearing', '', '18,500.00')}${row(150, 'Wallet', '45.00', '')}${row(190, 'Fees', '', '45.00')}
<text x="44" y="228" fill="#eaf6f0" font-weight="600">Difference</text><text x="470" y="228" text-anchor="end" fill="#eaf6f0" font-weight="600">0.00</text>
<path d="M410 238H472M410 242H472" stroke="#eaf6f0" stroke-width="1.3"/>
</svg>`

const icon = (path: string) =>
  html`<svg width="16" height="16" viewBox="0 0 16 16" fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round" aria-hidden="true"><path d="${path}"/></svg>`

export const lock = icon('M4 7.2h8v6.3H4zM5.7 7.2V5.3a2.3 2.3 0 0 1 4.6 0v1.9')
export const fingerprint = icon(
  'M4.3 12.5c.9-1.5 1-3 1-4.5a2.7 2.7 0 0 1 5.4 0c0 1.7-.1 3.5-.8 5.3M8 8c0 2.2-.3 4-1.2 5.9M2.6 10c.3-.7.3-1.4.3-2a5.1 5.1 0 0 1 7.6-4.5M13.1 7c.1 1.6 0 3.2-.4 4.7',
)

/** Changes the theme, which the dashboard has too. */
export const themeSwitch = html`<button type="button" class="icon" data-theme-switch aria-label="Switch between light and dark">${icon('M13 9.5A5.5 5.5 0 0 1 6.5 3a5.5 5.5 0 1 0 6.5 6.5z')}</button>`

/** Where the script reports what failed. */
export const problem = html`<p class="note" role="alert" data-problem hidden></p>`
