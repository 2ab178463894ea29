/** Goes unchanged into the page's only style element: the content security policy names its hash. */
export const style = `
:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f6f8f7; --chip: #eef2f0; --line: #e1e7e4; --ink: #16211d; --soft: #54625c;
  --accent: #0a6650; --tint: #e4f2ec; --code: #101b18; --code-line: #101b18;
  --get: #0a5a9c; --post: #0a6650; --put: #855000; --patch: #6638b0; --delete: #b0241c;
  --sans: system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
  --mono: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0e1412; --panel: #131b18; --chip: #1b2521; --line: #26322d; --ink: #e3ebe7; --soft: #9dada5;
    --accent: #62d3ab; --tint: #15332a; --code: #090e0c; --code-line: #26322d;
    --get: #82c3ff; --post: #62d3ab; --put: #f0b866; --patch: #c6a9ff; --delete: #ff9d92;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1.5rem; -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--page); color: var(--ink); font: 1rem/1.6 var(--sans); overflow-wrap: break-word; }
h1, h2, h3, h4 { margin: 0; line-height: 1.25; letter-spacing: -0.015em; text-wrap: balance; }
h1 { font-size: 2.25rem; }
h2 { font-size: 1.625rem; }
h3 { font-size: 1.25rem; }
h4 { margin-top: 2rem; font-size: 0.9375rem; letter-spacing: 0; }
p { margin: 0.75rem 0 0; max-width: 44rem; text-wrap: pretty; }
a { color: var(--accent); text-underline-offset: 0.2em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: 0.25rem; }
code { font: 0.875em/1.5 var(--mono); overflow-wrap: anywhere; }
:is(p, td) code { padding: 0.1em 0.25em; border-radius: 0.25em; background: var(--chip); }
a code, td.codes code { padding: 0; background: none; color: inherit; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: 0.5rem 1rem; background: var(--page); z-index: 1; }
.skip:focus { top: 1rem; }

.brand { display: flex; align-items: baseline; gap: 0.5rem; font-weight: 650; color: var(--ink); text-decoration: none; }
.brand small { font-weight: 400; color: var(--soft); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav h2 { margin: 1.5rem 0 0.375rem; font-size: 0.8125rem; letter-spacing: 0; color: var(--soft); font-weight: 600; }
nav li a {
  display: flex; gap: 0.5rem; align-items: baseline; padding: 0.25rem 0.5rem; margin: 0 -0.5rem; border-radius: 0.375rem;
  color: var(--ink); font-size: 0.875rem; line-height: 1.45; text-decoration: none;
}
nav li a:hover { background: var(--tint); }
.wide { display: none; }
.narrow { border-bottom: 1px solid var(--line); background: var(--panel); }
.narrow summary { padding: 0.875rem 1.25rem; font-weight: 650; cursor: pointer; }
.narrow nav { padding: 0 1.25rem 1.25rem; }
.narrow nav h2:first-of-type { margin-top: 0.25rem; }

main { padding: 2.5rem 1.25rem 4rem; min-width: 0; }
.group { margin-top: 4rem; padding-top: 3rem; border-top: 1px solid var(--line); }
.lead { font-size: 1.125rem; color: var(--soft); }
.pair { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; margin-top: 2.25rem; }
.operation { margin-top: 3rem; }
.operation + .operation { padding-top: 3rem; border-top: 1px solid var(--line); }
.text > h3 a { color: inherit; text-decoration: none; }
.text > h3 a:hover { text-decoration: underline; }
:target > .text > h3 a { color: var(--accent); }

.method {
  flex: none; display: inline-block; font: 600 0.6875rem/1.5rem var(--mono); letter-spacing: 0.03em; text-align: center;
  min-width: 3.75rem; padding: 0 0.375rem; border-radius: 0.3125rem; color: var(--shade, var(--soft));
  background: color-mix(in srgb, var(--shade, var(--soft)) 11%, transparent);
}
nav .method { min-width: 3.125rem; padding: 0 0.25rem; font-size: 0.625rem; line-height: 1.25rem; }
.get { --shade: var(--get); }
.post { --shade: var(--post); }
.put { --shade: var(--put); }
.patch { --shade: var(--patch); }
.delete { --shade: var(--delete); }
.call { display: flex; gap: 0.625rem; align-items: baseline; }
.call code { padding: 0; background: none; font-size: 0.9375rem; }
.call var { font-style: normal; color: var(--accent); }
.access { font-size: 0.875rem; color: var(--soft); }

.scroll { overflow-x: auto; margin-top: 0.625rem; }
p + .scroll { margin-top: 1.75rem; }
table { width: 100%; table-layout: fixed; border-collapse: collapse; font-size: 0.875rem; line-height: 1.5; }
caption { text-align: left; color: var(--soft); padding-bottom: 0.5rem; }
th, td { padding: 0.625rem 1rem 0.625rem 0; text-align: left; vertical-align: top; border-top: 1px solid var(--line); }
thead th { border-top: 0; padding: 0 1rem 0.375rem 0; font-size: 0.8125rem; font-weight: 500; color: var(--soft); }
:is(th, td):last-child { padding-right: 0; }
tbody th { font-weight: 400; }
tbody th code { font-weight: 600; }
.fields th:first-child { width: 42%; }
.fields code { overflow-wrap: break-word; }
.parent { font-weight: 400; color: var(--soft); }
.note { display: block; margin-top: 0.125rem; font-size: 0.8125rem; color: var(--soft); }
.required { margin-left: 0.375rem; color: var(--put); }
.optional { margin-left: 0.375rem; font-style: italic; }
.form th { padding-top: 1.25rem; font-weight: 600; }
.refusals th:first-child { width: 4rem; }
.refusals tbody :is(th, td) { padding-block: 0.1875rem; border: 0; }
.codes a { display: inline-block; margin-right: 0.75rem; }
.errors tr:target { background: var(--tint); }
.errors th:first-child { width: 24%; }
.errors th:nth-child(2) { width: 4.5rem; }
.errors th:nth-child(5) { width: 5rem; }

.code {
  position: relative; margin: 0; border: 1px solid var(--code-line); border-radius: 0.625rem; background: var(--code);
  overflow: hidden;
}
.code + .code { margin-top: 1rem; }
.code button {
  position: absolute; top: 0.375rem; right: 0.5rem; padding: 0.1875rem 0.625rem;
  border: 1px solid #3b4a44; border-radius: 0.375rem; background: none; color: #b7c6bf;
  font: 0.75rem/1.4 var(--sans); cursor: pointer;
}
.code button:hover { background: #22302b; color: #fff; }
.alone { max-width: 72rem; margin: 0 auto; }
.code figcaption { padding: 0.625rem 1rem 0; font-size: 0.75rem; color: #95a8a0; }
.code pre { margin: 0; padding: 0.625rem 1rem 1rem; overflow: auto; max-height: 34rem; color: #dbe6e1; tab-size: 2; }
.code pre:focus-visible { outline-color: #62d3ab; outline-offset: -3px; border-radius: 0.625rem; }
.code code { font-size: 0.78125rem; line-height: 1.65; overflow-wrap: normal; }
.key { color: #8fd8c0; }
.string { color: #efcf93; }
.literal { color: #b9b0ff; }

@media (max-width: 40rem) {
  h1 { font-size: 1.875rem; }
  table, tbody, tr, th, td { display: block; }
  thead { position: absolute; clip-path: inset(50%); width: 1px; height: 1px; overflow: hidden; }
  tr { padding: 0.75rem 0; border-top: 1px solid var(--line); }
  tbody th, td, .form th { padding: 0.125rem 0; border: 0; }
  .fields th:first-child, .refusals th:first-child, .errors th:first-child { width: auto; }
  td:empty { display: none; }
  .errors td::before { color: var(--soft); }
  .errors td:nth-child(3)::before { content: "Cause: "; }
  .errors td:nth-child(4)::before { content: "What to do: "; }
}
@media (min-width: 64rem) {
  .narrow { display: none; }
  .frame { display: grid; grid-template-columns: 18rem minmax(0, 1fr); }
  .wide {
    display: block; position: sticky; top: 0; height: 100vh; overflow-y: auto; overscroll-behavior: contain;
    padding: 2.75rem 1.5rem 3rem 1.75rem; border-right: 1px solid var(--line); background: var(--panel);
  }
  main { padding: 2.5rem 3rem 6rem; max-width: 84rem; }
}
@media (min-width: 80rem) {
  .pair { grid-template-columns: minmax(0, 1fr) minmax(0, 46%); gap: 3rem; }
  .example { position: sticky; top: 1.5rem; align-self: start; }
  .example pre { max-height: max(16rem, 50vh - 4.5rem); }
}
@media (prefers-reduced-motion: no-preference) {
  html { scroll-behavior: smooth; }
}
@media print {
  :root { --page: #fff; --panel: #fff; --chip: #fff; --line: #bbb; --ink: #000; --soft: #444; --accent: #000; --code: #fff; }
  .wide, .narrow, .skip, .code button { display: none; }
  .frame, .pair { display: block; }
  main { padding: 0; max-width: none; }
  .example { margin-top: 1rem; }
  .code, tr, h2, h3, h4 { break-inside: avoid; }
  h2, h3, h4 { break-after: avoid; }
  .code { border-color: #bbb; }
  .code pre { max-height: none; white-space: pre-wrap; }
  .code :is(pre, span, figcaption) { color: #000; }
}
`
