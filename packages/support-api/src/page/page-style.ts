/** The page's style. Colours keep a contrast of at least 4.5 to 1, in light and dark. */
export const pageStyle = `
:root {
  color-scheme: light dark; font: 16px/1.5 Inter, ui-sans-serif, system-ui, sans-serif;
  --back: #f3f5fa; --card: #fff; --ink: #101828; --soft: #475467; --line: #d5dbe7; --field: #fff; --edge: #7d89a0;
  --mark: #3538cd; --press: #2d31a6; --tint: #eef0ff; --bar: #a4abf5;
  --ok: #05603a; --ok-back: #e3f8ec; --warn: #7a2e0e; --warn-back: #fff3dc; --bad: #912018; --bad-back: #fee8e6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --back: #0b0f1a; --card: #151b2b; --ink: #eef1f8; --soft: #aab4c8; --line: #2b3448; --field: #0f1422; --edge: #66738f;
    --mark: #a9b4ff; --press: #5157e0; --tint: #1d2443; --bar: #5a63c9;
    --ok: #7ee2ab; --ok-back: #0d2f21; --warn: #fdc766; --warn-back: #35230b; --bad: #ffb0a8; --bad-back: #3a1512;
  }
}
* { box-sizing: border-box }
body { margin: 0; background: var(--back); color: var(--ink) }
h1, h2, h3, p, dl, dd, figure, fieldset { margin: 0; padding: 0; border: 0 }
h2 { font-size: 1.2rem; letter-spacing: -.01em }
h3 { font-size: 1.05rem }
a { color: var(--mark) }
code, pre { font: .875em/1.5 ui-monospace, SFMono-Regular, Menlo, monospace }
code { overflow-wrap: anywhere }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px; border-radius: .25rem }
.skip { position: absolute; left: -99rem; background: #fff; color: #1d1f7a; padding: .5rem 1rem; z-index: 1 }
.skip:focus { left: .5rem; top: .5rem }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }

header { background: #22256f; background-image: linear-gradient(120deg, #191b5c, #33369f 70%, #3f46c2); color: #fff; padding: 0 1.25rem 6.5rem }
.bar, .hero { max-width: 68rem; margin: 0 auto } main, footer { max-width: 70.5rem; margin: 0 auto }
.bar { display: flex; flex-wrap: wrap; gap: .25rem 1.5rem; align-items: center; justify-content: space-between; padding: 1rem 0 }
.brand { display: flex; gap: .5rem; align-items: center; color: #fff; font-weight: 700; text-decoration: none }
.drop { fill: #fff } .shine { fill: none; stroke: #33369f; stroke-width: 1.6; stroke-linecap: round }
nav { display: flex; gap: .25rem 1.25rem } nav a { color: #e6e8ff; text-decoration: none; padding: .25rem 0 } nav a:hover { text-decoration: underline }
header :focus-visible { outline-color: #fff }
.hero { padding-top: 2.25rem }
.hero h1 { font-size: clamp(1.7rem, 5vw, 2.6rem); line-height: 1.15; letter-spacing: -.025em; text-wrap: balance }
.hero p { margin-top: .75rem; max-width: 40rem; color: #e0e3ff; font-size: 1.05rem }

main { display: grid; grid: 'claim chains' auto 'curl chains' 1fr / minmax(0, 7fr) minmax(0, 5fr); gap: 1.25rem; align-items: start; padding: 0 1.25rem; margin-top: -4.25rem }
.at-claim { grid-area: claim } .at-chains { grid-area: chains } .at-curl { grid-area: curl }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 1rem; padding: 1.5rem; box-shadow: 0 1px 2px #10182810, 0 8px 24px -12px #10182833 }
#chains { display: grid; gap: 1.25rem }
.heading { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; justify-content: space-between }

form { margin-top: 1.1rem }
legend, form > label { display: block; padding: 0; font-weight: 600; font-size: .95rem; margin: 1.1rem 0 .4rem }
legend { margin-top: 0 }
input[type=text] { width: 100%; min-height: 3rem; padding: .5rem .8rem; border: 1px solid var(--edge); border-radius: .6rem; background: var(--field); color: inherit; font: .95rem/1.4 ui-monospace, SFMono-Regular, Menlo, monospace }
input[aria-invalid=true] { border: 2px solid var(--bad) }
.chains { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: .6rem }
.chain { display: flex; gap: .7rem; align-items: center; min-height: 3.5rem; padding: .6rem .9rem; border: 1px solid var(--edge); border-radius: .6rem; cursor: pointer }
.chain:has(:checked) { border-color: var(--mark); background: var(--tint); box-shadow: inset 0 0 0 1px var(--mark) }
.chain:has(:focus-visible) { outline: 3px solid var(--mark); outline-offset: 2px }
.chain input { width: 1.15rem; height: 1.15rem; margin: 0; accent-color: var(--mark) } .chain input:focus-visible { outline: none }
.chain strong, .chain small { display: block }
small, .note, .hint, .from, figcaption, .ends { color: var(--soft); font-size: .875rem }
.note { margin: .4rem 0 0; min-height: 1.4rem }
.fault { color: var(--bad) } .good { color: var(--ok) }
.limits { display: flex; flex-wrap: wrap; gap: .4rem 2rem; margin: 1rem 0 1.25rem; padding: .8rem 1rem; background: var(--tint); border-radius: .6rem }
dt { color: var(--soft); font-size: .82rem } dd { font-weight: 600; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
button { font: inherit; font-weight: 650; cursor: pointer; border-radius: .6rem }
.main { width: 100%; min-height: 3.1rem; border: 0; color: #fff; background: #3d41d4; transition: background .15s }
.main:hover { background: #2d31a6 }
form[aria-busy=true] .main { opacity: .75; cursor: progress }
.quiet { min-height: 2.5rem; padding: .3rem 1rem; border: 1px solid var(--edge); background: transparent; color: var(--mark) }
.quiet[hidden] { display: none }

.panel { margin-top: 1.1rem; padding: 1rem 1.1rem; border-radius: .7rem; border-left: 4px solid; background: var(--tint); border-color: var(--mark) }
.panel p { margin-top: .35rem } p.panel { margin-top: 1.1rem } .panel ul { margin: .5rem 0 0; padding-left: 1.2rem }
.panel.ok { background: var(--ok-back); border-color: var(--ok) } .panel.ok h3 { color: var(--ok) }
.panel.warn { background: var(--warn-back); border-color: var(--warn) } .panel.warn h3 { color: var(--warn) }
.panel.bad { background: var(--bad-back); border-color: var(--bad) } .panel.bad h3 { color: var(--bad) }
.tx span { display: block; font-size: .82rem; color: var(--soft) } .panel .tx { margin-top: .8rem } .tx code { font-size: .75rem }
.steps { display: grid; grid-template-columns: repeat(3, 1fr); gap: .4rem; list-style: none; margin: .9rem 0 0; padding: 0; font-size: .9rem }
.steps li { padding-top: .45rem; border-top: 4px solid var(--line); color: var(--soft) }
.steps .done { border-color: var(--ok); color: var(--ok); font-weight: 650 }
.steps .next { border-color: var(--mark); color: var(--ink); animation: wait 1.6s ease-in-out infinite }
@keyframes wait { 50% { border-color: var(--line) } }

.chip { padding: .15rem .7rem; border-radius: 1rem; font-size: .82rem; font-weight: 650 }
.chip.ok { background: var(--ok-back); color: var(--ok) } .chip.warn { background: var(--warn-back); color: var(--warn) } .chip.bad { background: var(--bad-back); color: var(--bad) }
.notice { margin-top: .6rem }
.balance { margin-top: .5rem; font-size: 2rem; font-weight: 700; letter-spacing: -.02em; line-height: 1.2; font-variant-numeric: tabular-nums } .balance small { font-size: 1rem; font-weight: 600; letter-spacing: 0 }
.facts { display: grid; grid-template-columns: 1fr 1fr; gap: .7rem 1rem; margin-top: .9rem }
figure { margin-top: 1.2rem; padding-top: 1rem; border-top: 1px solid var(--line) }
figcaption, .ends { display: flex; justify-content: space-between }
figure svg { display: block; width: 100%; height: auto; margin: .5rem 0 .25rem }
.day { fill: var(--bar) } .today { fill: var(--mark) } .nothing { fill: var(--line) }
summary { cursor: pointer; color: var(--mark); font-size: .875rem; padding: .3rem 0; width: max-content }
table { width: 100%; border-collapse: collapse; font-size: .875rem } th, td { padding: .2rem 0; border-bottom: 1px solid var(--line); text-align: start } th:last-child, td:last-child { text-align: end; font-variant-numeric: tabular-nums }
.from { margin-top: .6rem }
pre { margin: .9rem 0 .7rem; padding: 1rem; overflow-x: auto; border: 1px solid #333b5c; border-radius: .7rem; background: #12162b; color: #e4e7ff; white-space: pre-wrap; overflow-wrap: anywhere }
footer { padding: 1.5rem 1.25rem 3rem; color: var(--soft); font-size: .875rem }
@media (max-width: 52rem) { main { grid: 'claim' 'chains' 'curl' / minmax(0, 1fr) } }
@media (max-width: 30rem) { header { padding: 0 1rem 6rem } .hero { padding-top: 1rem } main { padding: 0 .75rem; gap: .9rem } .card { padding: 1.1rem 1rem } input[type=text] { font-size: .78rem; padding: .5rem .6rem } .limits { gap: .5rem 1.2rem } footer { padding: 1.25rem 1rem 2rem } }
@media (prefers-reduced-motion: reduce) { * { animation: none !important; transition: none !important } }
`
