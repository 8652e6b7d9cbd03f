/** The style of an exported page: light and dark, from 320 px on, and on paper. It asks for nothing from outside. */

export const pageStyle = `
:root { color-scheme: light dark; --text: #1f2328; --soft: #57606a; --back: #ffffff; --raised: #f6f8fa; --line: #d0d7de; --link: #0550ae;
  --good: #116329; --warn: #7d4e00; --bad: #a40e26; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9ea7b3; --back: #0d1117; --raised: #161b22; --line: #30363d; --link: #79b8ff;
    --good: #56d364; --warn: #e3b341; --bad: #ff7b72; }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--back); color: var(--text); font: 1rem/1.6 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
header, nav, main, footer { max-width: 50rem; margin: 0 auto; padding: 0 1rem; }
header { padding-top: 2rem; }
h1 { font-size: 1.75rem; line-height: 1.25; margin: 0 0 .75rem; }
h2 { font-size: 1.35rem; line-height: 1.3; margin: 2.5rem 0 .75rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
h3 { font-size: 1.125rem; line-height: 1.35; margin: 1.75rem 0 .5rem; }
h4, h5, h6 { font-size: 1rem; margin: 1.25rem 0 .5rem; }
p, ul, ol, blockquote, pre { margin: 0 0 1rem; }
ul, ol { padding-left: 1.5rem; }
li { margin: .25rem 0; }
li > ul, li > ol { margin-bottom: 0; }
a { color: var(--link); text-underline-offset: .15em; }
a:focus-visible, [tabindex]:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
a.cite { text-decoration: none; font-size: .8125em; font-weight: 600; padding: 0 .1em; }
a.cite:hover { text-decoration: underline; }
code { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--raised); border-radius: .25rem; padding: .1em .3em; }
pre { overflow-x: auto; background: var(--raised); border: 1px solid var(--line); border-radius: .375rem; padding: .75rem 1rem; }
pre code { background: none; padding: 0; overflow-wrap: normal; }
blockquote { border-left: .25rem solid var(--line); padding-left: 1rem; color: var(--soft); margin-left: 0; margin-right: 0; }
hr { border: 0; border-top: 1px solid var(--line); margin: 1.5rem 0; }
del { color: var(--soft); }
.question { font-size: 1.0625rem; white-space: pre-line; }
.status { border: 1px solid var(--line); border-left: .25rem solid var(--tone, var(--soft)); background: var(--raised); border-radius: .375rem; padding: .625rem 1rem; margin: 0 0 1rem; }
.status p { margin: .25rem 0 0; }
.status strong { color: var(--tone, var(--text)); }
.good { --tone: var(--good); } .warn { --tone: var(--warn); } .bad { --tone: var(--bad); }
.tone { color: var(--tone); font-weight: 600; }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .125rem 1rem; margin: 0 0 1rem; font-size: .9375rem; }
dt { color: var(--soft); } dd { margin: 0; }
nav ul { list-style: none; display: flex; flex-wrap: wrap; gap: .125rem 1rem; padding: 0; margin: 0; }
nav li { margin: 0; }
nav a { display: inline-block; padding: .25rem 0; }
.note, .soft { color: var(--soft); }
.sources { list-style: none; padding: 0; }
.sources > li { display: grid; grid-template-columns: minmax(2.75rem, max-content) minmax(0, 1fr); margin: 0; padding: .75rem 0; border-top: 1px solid var(--line); }
.sources > li:first-child { border-top: 0; padding-top: 0; }
.sources > li:target { background: var(--raised); outline: .375rem solid var(--raised); }
.number { font-weight: 600; color: var(--soft); padding-right: .5rem; }
.title { font-weight: 600; }
.place { display: block; font-size: .875rem; }
.quote { margin: .375rem 0; padding-left: .75rem; border-left: 3px solid var(--line); }
.small { font-size: .875rem; margin: 0; color: var(--soft); }
.wide { overflow-x: auto; margin: 0 0 1rem; }
table { border-collapse: collapse; min-width: 100%; font-size: .875rem; line-height: 1.45; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: normal; }
th { color: var(--soft); font-weight: 600; white-space: nowrap; }
td.text { min-width: 12rem; overflow-wrap: anywhere; }
.right { text-align: right; font-variant-numeric: tabular-nums; } .center { text-align: center; }
td.right { white-space: nowrap; }
footer { margin-top: 2.5rem; padding-bottom: 2rem; color: var(--soft); font-size: .875rem; }
@media (min-width: 60rem) { .broad { width: min(64rem, calc(50vw + 23rem)); } }
@media (max-width: 30rem) { h1 { font-size: 1.4rem; } header { padding-top: 1.25rem; } }
@media print {
  :root { --text: #000; --soft: #444; --back: #fff; --raised: #f4f4f4; --line: #bbb; --link: #000; --good: #000; --warn: #000; --bad: #000; }
  body { font-size: 10.5pt; } header, main, footer { max-width: none; padding: 0; } nav { display: none; }
  .broad { width: auto; } .wide, pre { overflow: visible; } pre { white-space: pre-wrap; } table { font-size: 8.5pt; } td.text { min-width: 0; }
  h2, h3, h4 { break-after: avoid; } .sources > li, tr, pre, blockquote { break-inside: avoid; }
}
`;
