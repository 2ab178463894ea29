const dark = `
    --canvas: #090e0c; --surface: #101613; --quiet: #141c18; --line: #212c26; --line-2: #33423a;
    --ink: #e9f0ec; --ink-2: #b6c4bd; --ink-3: #91a199;
    --brand: #0f7a57; --brand-hover: #12906a; --brand-soft: #11291f; --focus: #58cb9f;
    --fail: #ff9d93; --fail-soft: #361816; --fail-line: #6d2f2a; --ok: #62d0a5; --ok-soft: #10281f; --ok-line: #23533f;
`

/** The bundled font of the dashboard, where the dashboard is built. */
const fontFace = (path: string) =>
  `@font-face { font-family: "Inter Variable"; font-weight: 100 900; font-display: swap; src: url("${path}") format("woff2"); }\n`

/** The only stylesheet of people's pages, in the colours and sizes of the dashboard. */
export const styleWith = (font: string | undefined): string => (font === undefined ? '' : fontFace(font)) + style

const style = `
:root {
  color-scheme: light dark;
  --font: "Inter Variable", Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", monospace;
  --canvas: #f2f5f3; --surface: #fff; --quiet: #f8faf9; --line: #e3e9e5; --line-2: #cdd6d1;
  --ink: #0d1a14; --ink-2: #3e4c45; --ink-3: #5b6962;
  --brand: #0b6e4f; --brand-hover: #085a40; --brand-soft: #e2f1ea; --focus: #0b6e4f;
  --fail: #a8261c; --fail-soft: #fbebe9; --fail-line: #eebbb6; --ok: #0a6347; --ok-soft: #e2f1ea; --ok-line: #a9d3c1;
}
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { ${dark} } }
:root[data-theme="light"] { color-scheme: light; }
:root[data-theme="dark"] { color-scheme: dark; ${dark} }
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--surface); color: var(--ink); font: 400 14px/20px var(--font); font-feature-settings: "tnum"; }
h1, h2, p, ul, ol, dl, dd { margin: 0; padding: 0; }
h1 { font: 600 30px/36px var(--font); letter-spacing: -.025em; text-wrap: balance; }
h2 { font: 600 16px/24px var(--font); }
a { color: var(--ink); text-underline-offset: 3px; }
ul, ol { list-style: none; }
.dim { color: var(--ink-3); }
.small { font-size: 12px; line-height: 16px; }
.qr { width: 208px; max-width: 100%; background: #fff; border-radius: 6px; }
.mono { font: 500 13px/20px var(--mono); overflow-wrap: anywhere; }
.stack { display: grid; gap: 12px; }
.wide { display: grid; gap: 24px; }
.row { display: flex; align-items: center; gap: 12px; }
.push { flex: 1; min-width: 0; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }

button, .button {
  display: inline-flex; align-items: center; justify-content: center; gap: 8px; min-height: 40px; padding: 0 16px;
  border: 1px solid var(--line-2); border-radius: 6px; background: var(--surface); color: var(--ink);
  font: 600 14px/20px var(--font); text-decoration: none; cursor: pointer;
}
button:hover, .button:hover { background: var(--quiet); }
button.first { min-height: 48px; border-color: transparent; background: var(--brand); color: #fff; font-size: 15px; }
button.first:hover { background: var(--brand-hover); }
button.plain, .button.plain { min-height: 32px; padding: 0 12px; font-size: 13px; }
button.danger { color: var(--fail); }
button[aria-busy="true"] { opacity: .65; cursor: progress; }
.full > button, .full > .button, button.full { width: 100%; }

label { display: grid; gap: 6px; font: 500 12px/16px var(--font); color: var(--ink-2); }
input {
  width: 100%; min-height: 44px; padding: 0 12px; border: 1px solid var(--line-2); border-radius: 6px; background: var(--surface);
  color: var(--ink); font: 400 16px/24px var(--font);
}
input.code { font: 500 20px/28px var(--mono); letter-spacing: .12em; }
input::placeholder { color: var(--ink-3); }
.hint { display: flex; gap: 8px; color: var(--ink-3); font-size: 12px; line-height: 16px; }
.hint svg { flex: none; margin-top: 1px; }
.or { display: flex; align-items: center; gap: 12px; color: var(--ink-3); font-size: 12px; }
.or::before, .or::after { content: ""; flex: 1; border-top: 1px solid var(--line); }
.note { padding: 10px 12px; border: 1px solid var(--fail-line); border-radius: 8px; background: var(--fail-soft); color: var(--fail); }
.note.good { border-color: var(--ok-line); background: var(--ok-soft); color: var(--ok); }
.facts { display: grid; gap: 8px; padding: 14px 16px; border: 1px solid var(--line); border-radius: 8px; background: var(--quiet); }
.facts > div { display: grid; grid-template-columns: 72px 1fr; gap: 12px; }
.facts dt { color: var(--ink-3); }
.facts dd { overflow-wrap: anywhere; }
.steps { counter-reset: step; display: grid; gap: 16px; }
.steps > li { counter-increment: step; display: grid; grid-template-columns: 24px 1fr; gap: 12px; }
.steps > li::before {
  content: counter(step); display: grid; place-items: center; width: 24px; height: 24px; border-radius: 99px;
  background: var(--brand-soft); color: var(--ok); font: 600 12px/16px var(--font);
}

.split { display: grid; grid-template-columns: 5fr 7fr; min-height: 100vh; min-height: 100dvh; }
.art {
  display: flex; flex-direction: column; justify-content: space-between; gap: 32px; padding: 36px 44px;
  background: linear-gradient(160deg, #0a5c42, #063526); color: #eaf6f0;
}
.art b { font: 600 18px/24px var(--font); color: #fff; }
.art p { max-width: 34ch; font: 500 16px/24px var(--font); color: #d7ece2; }
.art svg.entry { width: 100%; max-width: 520px; font: 500 14px var(--font); font-variant-numeric: tabular-nums; }
.panel { display: grid; grid-template-rows: 1fr auto; justify-items: center; padding: 40px; }
.panel > .wide { align-self: center; width: 100%; max-width: 360px; }
button.icon { min-height: 32px; width: 32px; padding: 0; border-color: transparent; color: var(--ink-2); }
.panel > footer { display: flex; flex-wrap: wrap; align-items: center; gap: 4px 8px; width: 100%; padding-top: 32px; font-size: 12px; line-height: 16px; color: var(--ink-3); }
.panel > footer b { color: var(--ink-2); }
.panel > footer svg { flex: none; }
.mark-small { display: none; }

.account { min-height: 100vh; min-height: 100dvh; background: var(--canvas); }
.account > header { display: flex; align-items: center; gap: 12px; padding: 12px 24px; border-bottom: 1px solid var(--line); background: var(--surface); }
.account > main { display: grid; gap: 16px; max-width: 760px; margin: 0 auto; padding: 40px 24px 56px; }
.account h1 { font-size: 25px; line-height: 32px; }
.card { border: 1px solid var(--line); border-radius: 12px; background: var(--surface); overflow: hidden; }
.card > .row, .card > ul > li, .card > form { padding: 14px 20px; }
.card > ul > li { display: flex; align-items: center; gap: 12px; border-top: 1px solid var(--line); }
.card > form { border-top: 1px solid var(--line); }
.tag { display: inline-block; padding: 1px 7px; border-radius: 4px; background: var(--brand-soft); color: var(--ok); font: 500 12px/18px var(--font); }
.tags { display: flex; flex-wrap: wrap; gap: 6px; }
dialog { width: min(400px, calc(100vw - 32px)); padding: 24px; border: 1px solid var(--line-2); border-radius: 12px; background: var(--surface); color: var(--ink); }
dialog::backdrop { background: rgb(9 14 12 / .45); }

@media (max-width: 720px) {
  .split { grid-template-columns: 1fr; }
  .art { display: none; }
  .panel { padding: 56px 24px 20px; }
  .panel > .wide { align-self: start; max-width: none; }
  .mark-small { display: block; }
  .account > header { padding: 12px 16px; }
  .account > main { padding: 24px 16px 40px; }
  .card > .row { flex-wrap: wrap; }
  .card > .row > h2 { flex-basis: 100%; }
}
`
