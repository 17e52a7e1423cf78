/** The looks of `renderHtml`: for screens of any width, light and dark, and paper. One text, so that a policy can name its hash. */
export const REPORT_STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --paper: #fff; --faint: #5a6370; --line: #d7dce2; --room: #e9edf1;
  --accent: #bf3d12; --accent-wash: #fdf0ea; --good: #186b34; --warn: #8a5200; --bad: #b3261e; }
@media screen and (prefers-color-scheme: dark) { :root { --ink: #e6e9ed; --paper: #15181c; --faint: #a3adb9; --line: #363d46; --room: #2a3038;
  --accent: #ff8a5c; --accent-wash: #2c1d17; --good: #7ed491; --warn: #f2b45c; --bad: #ff9c93; } }
body { margin: 0; background: var(--paper); color: var(--ink); }
.report { font: 1rem/1.5 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem; overflow-wrap: anywhere; }
.part { font: 600 1.3rem/1.4 system-ui, sans-serif; max-width: 72rem; margin: 0 auto; padding: 1rem 1rem 0; overflow-wrap: anywhere; }
h2.part { font-size: 1rem; color: var(--faint); padding-top: 2rem; }
.report h1 { font-size: 1.3rem; margin: 0 0 .5rem; }
.report h2 { display: inline; font-size: 1.05rem; }
.report .verdict { border-left: .3rem solid var(--accent); padding: .1rem 0 .1rem 1rem; font-size: 1.1rem; }
.report .verdict p { margin: .4rem 0; }
.report .fix { background: var(--accent-wash); margin: .3rem 0; padding: .4rem .7rem; border-radius: .4rem; }
.report .fix span { color: var(--accent); font-weight: 700; }
.report .strong { font-weight: 600; }
.report .muted { color: var(--faint); }
.report .accent { color: var(--accent); }
.report .good { color: var(--good); }
.report .warn { color: var(--warn); }
.report .bad { color: var(--bad); }
.report details { margin: 1.2rem 0; }
.report summary { cursor: pointer; margin-bottom: .4rem; }
.report figure { margin: 0; }
.report .scroll { overflow-x: auto; }
.report table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .92rem; }
.report th, .report td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid var(--line); font-weight: 400; vertical-align: top; }
.report tbody th { min-width: 8rem; }
.report thead th { color: var(--faint); white-space: nowrap; }
.report .figure { text-align: right; white-space: nowrap; }
.report .group { color: var(--faint); border-left: 2px solid var(--line); padding-left: .6rem; white-space: nowrap; }
.report .share { width: 14rem; min-width: 4rem; }
.report svg { display: block; width: 100%; height: .7rem; margin-top: .4rem; fill: var(--faint); print-color-adjust: exact; -webkit-print-color-adjust: exact; }
.report svg .room { fill: var(--room); }
.report .emphasis svg { fill: var(--accent); }
.report dl { margin: 0; }
.report dl div { display: flex; flex-wrap: wrap; gap: 0 1rem; }
.report dt { min-width: 12rem; color: var(--faint); }
.report dd { margin: 0; }
.report pre { overflow-x: auto; background: var(--room); padding: .6rem .8rem; overflow-wrap: normal; }
@media print { :root { color-scheme: light; } nav { display: none; } .report { max-width: none; padding: 0; font-size: 10pt; } .report .scroll, .report pre { overflow: visible; }
  .report tr, .report .verdict { break-inside: avoid; } .report summary { break-after: avoid; list-style: none; } }
`;
