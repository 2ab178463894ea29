/** The stylesheet of `/handset`, with the dashboard's tokens. Below 560 px the page is the phone. */
export const handsetStyle = `
:root {
  color-scheme: light dark;
  --font: Inter, system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --canvas: #f2f5f3; --surface: #fff; --quiet: #eef2f0; --line: #e3e9e5; --line-2: #cdd6d1; --edge: #0d1a14;
  --ink: #0d1a14; --ink-2: #3e4c45; --ink-3: #5b6962; --brand: #0b6e4f; --brand-hover: #085a40; --focus: #0b6e4f;
  --fail: #a8261c; --fail-soft: #fbebe9; --fail-line: #eebbb6; --ok: #0a6347; --ok-soft: #e2f1ea;
  --sand: #ffc53d; --sand-ink: #4a2f00; --shadow: 0 40px 80px -20px rgb(0 0 0 / .35);
}
@media (prefers-color-scheme: dark) {
  :root {
    --canvas: #090e0c; --surface: #101613; --quiet: #1b2520; --line: #212c26; --line-2: #33423a; --edge: #33423a;
    --ink: #e9f0ec; --ink-2: #b6c4bd; --ink-3: #91a199; --brand: #0f7a57; --brand-hover: #0c6a4b; --focus: #58cb9f;
    --fail: #ff9d93; --fail-soft: #361816; --fail-line: #6d2f2a; --ok: #62d0a5; --ok-soft: #10281f;
    --sand-ink: #2c1c00; --shadow: 0 40px 80px -20px rgb(0 0 0 / .8);
  }
}
*, *::before, *::after { box-sizing: border-box; }
[hidden] { display: none !important; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--surface); color: var(--ink); font: 400 15px/22px var(--font); font-feature-settings: "tnum"; }
h1, p, dl, dd { margin: 0; }
main { display: grid; min-height: 100dvh; grid-template-rows: 1fr auto; }
.phone { display: grid; grid-template-rows: auto 1fr; background: var(--surface); }
header { display: flex; align-items: center; gap: 8px; min-height: 52px; padding: 0 20px; border-bottom: 1px solid var(--line); }
.brand { display: flex; align-items: center; gap: 8px; }
.pill { padding: 1px 8px; border-radius: 999px; background: var(--sand); color: var(--sand-ink); font: 600 12px/18px var(--font); }
.number { margin-left: auto; font: 500 14px/20px var(--font); color: var(--ink-2); }
.sheet { display: flex; flex-direction: column; gap: 12px; padding: 24px 20px; }
.sheet[aria-busy="true"] { opacity: .6; }
.push { flex: 1; }
h1 { font: 600 25px/32px var(--font); letter-spacing: -.02em; text-wrap: balance; }
h1:focus { outline: none; }
.amount { display: block; font-size: 38px; line-height: 46px; }
.operator { font: 600 14px/20px var(--font); color: var(--ink-2); }
label { font: 500 14px/20px var(--font); color: var(--ink-2); margin-top: 8px; }
input { width: 100%; min-height: 52px; padding: 0 16px; border: 1px solid var(--line-2); border-radius: 12px; background: var(--surface); color: var(--ink); font: 400 18px/24px var(--font); }
input::placeholder { color: var(--ink-3); }
button { min-height: 52px; border: 1px solid var(--line-2); border-radius: 12px; background: var(--surface); color: var(--ink); font: 600 16px/24px var(--font); cursor: pointer; touch-action: manipulation; }
button:hover { background: var(--quiet); }
button:disabled { color: var(--ink-3); background: var(--quiet); border-color: transparent; cursor: default; }
:focus-visible { outline: 2px solid var(--focus); outline-offset: 2px; }
.main, .pay:not(:disabled) { border-color: transparent; background: var(--brand); color: #fff; }
.main:hover, .pay:not(:disabled):hover { background: var(--brand-hover); }
.plain { font-size: 14px; color: var(--ink-2); }
.decline { color: var(--fail); }
dl { display: grid; gap: 4px; }
dl div { display: flex; gap: 12px; }
dt { flex: 0 0 84px; color: var(--ink-3); }
dd { font-weight: 500; overflow-wrap: anywhere; }
.left { color: var(--ink-2); }
.dots { display: flex; justify-content: center; gap: 16px; min-height: 36px; align-items: center; }
.dots span { width: 14px; height: 14px; border: 1.5px solid var(--ink-3); border-radius: 50%; }
.dots .full { background: var(--ink); border-color: var(--ink); }
.keys { display: grid; grid-template-columns: repeat(3, 1fr); gap: 8px; }
.key { min-height: 60px; border-color: transparent; background: var(--quiet); font-size: 22px; }
.key:hover { background: var(--line-2); }
.key.small, .key.pay { font-size: 16px; }
.home { text-align: center; }
.clock { margin-top: 32px; font: 300 64px/72px var(--font); letter-spacing: -.03em; }
.date, .wait, .note { color: var(--ink-3); }
.wait { display: flex; align-items: center; justify-content: center; gap: 8px; font: 400 15px/22px var(--font); letter-spacing: 0; }
.dot { width: 8px; height: 8px; border-radius: 50%; background: var(--brand); animation: wait 1.6s ease-in-out infinite; }
@keyframes wait { 50% { opacity: .25; } }
.result { min-height: 22px; color: var(--ink); font-weight: 500; }
.problem { padding: 10px 14px; border: 1px solid var(--fail-line); border-radius: 12px; background: var(--fail-soft); color: var(--fail); }
.note { padding: 12px 20px 20px; font-size: 13px; line-height: 18px; text-align: center; }
@media (min-width: 560px) {
  body { background: var(--canvas); }
  main { justify-items: center; align-content: center; grid-template-rows: auto auto; padding: 24px; }
  .phone { width: 390px; min-height: 760px; border: 10px solid var(--edge); border-radius: 48px; overflow: hidden; box-shadow: var(--shadow); }
  .note { max-width: 390px; }
}
@media (prefers-reduced-motion: reduce) { .dot { animation: none; } }
`
