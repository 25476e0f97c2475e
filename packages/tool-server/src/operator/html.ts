/** A piece of HTML. Only `html` makes one, so whatever else is put into a template is escaped. */
export type Html = { readonly [markup]: string }

/** A template whose values are escaped, unless they are HTML themselves; lists are joined, `null` is nothing. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const texts = parts.map((part, index) => (index === 0 ? part : `${render(values[index - 1])}${part}`))
  return { [markup]: texts.join('') }
}

/** The markup itself, for the one place that sends it. */
export function htmlText(piece: Html): string {
  return piece[markup]
}

export type HtmlValue = string | number | Html | readonly Html[] | null

const markup = Symbol('html')

function render(value: HtmlValue | undefined): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string' || typeof value === 'number') return escape(`${value}`)
  if (Array.isArray(value)) return value.map(htmlText).join('')
  return markup in value ? value[markup] : ''
}

function escape(text: string): string {
  return text.replace(/[&<>"'`]/g, (character) => `&#${character.charCodeAt(0)};`)
}

/** The page's style. Colours keep a contrast of at least 4.5 to 1 in light and dark. */
export const pageCss = `
:root { color-scheme: light dark; --back: #f6f7f9; --card: #fff; --ink: #16202c; --soft: #51606f; --line: #d5dbe2; --yes: #0b6b3a; --no: #9f1f1f; --mark: #0b4fb3 }
@media (prefers-color-scheme: dark) { :root { --back: #11161c; --card: #1a222b; --ink: #e8edf2; --soft: #a9b6c3; --line: #33404d; --yes: #1d7f4d; --no: #b53a3a; --mark: #8ab8ff } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 46rem; padding: 1.25rem 1rem 4rem; background: var(--back); color: var(--ink); font: 16px/1.5 system-ui, sans-serif }
header p, .by, .hint, .past p { color: var(--soft) }
h1 { margin: 0; font-size: 1.6rem }
header p { margin: .25rem 0 0 }
h2 { margin: 1.75rem 0 .75rem; font-size: 1.1rem }
h3 { margin: 0 0 .75rem; font-size: 1.05rem; line-height: 1.35; overflow-wrap: anywhere }
article { margin: 0 0 1rem; padding: 1rem 1.125rem; background: var(--card); border: 1px solid var(--line); border-radius: .6rem }
.past { padding: .7rem 1.125rem }
.past h3 { margin: 0; font-size: .95rem; font-weight: 600 }
.past p { margin: .15rem 0 0; font-size: .9rem }
code { font: .875em/1.45 ui-monospace, monospace; overflow-wrap: anywhere }
.sums { display: grid; grid-template-columns: repeat(auto-fit, minmax(13.5rem, 1fr)); gap: .75rem 1rem; margin: 0 }
.sums dt, .hash span { color: var(--soft); font-size: .8rem }
.sums dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere }
.amount, .why { display: block }
.why { color: var(--soft); line-height: 1.3 }
.deposit { margin-top: .75rem }
.warnings { margin: .75rem 0 0; padding: .3rem .75rem; border-left: 4px solid var(--no); list-style: none; overflow-wrap: anywhere }
.warnings li { margin: 0 }
.asked { margin: .75rem 0 0; padding: 0; list-style: none; overflow-wrap: anywhere }
.by { margin: .75rem 0; font-size: .9rem }
summary { cursor: pointer; color: var(--mark) }
.facts, .call dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem .9rem; margin: .75rem 0; font-size: .9rem }
.facts dt, .call dt { grid-column: 1; color: var(--soft) }
.facts dd, .call dd { grid-column: 2; margin: 0; overflow-wrap: anywhere }
ol { padding-left: 1.3rem; font-size: .9rem }
li { margin-bottom: .6rem }
.call { margin: .3rem 0 0; padding-left: .75rem; border-left: 2px solid var(--line) }
.call dl { margin: .2rem 0 .5rem }
.hash { margin: .9rem 0 0 }
.hash span { display: block }
.act { display: flex; flex-wrap: wrap; gap: .6rem; margin: 1rem 0 0 }
button { min-height: 2.75rem; padding: .4rem 1.1rem; border: 2px solid transparent; border-radius: .45rem; color: #fff; font: inherit; font-weight: 600; cursor: pointer }
button[hidden] { display: none }
button:disabled { opacity: .55; cursor: default }
.approve { background: var(--yes) }
.deny, .cancel { background: var(--no) }
:focus-visible { outline: 3px solid var(--mark); outline-offset: 2px }
#said { margin: .75rem 0 0; font-weight: 600 }
#said:empty { margin: 0 }
@media (max-width: 26rem) { .facts, .call dl { grid-template-columns: 1fr } .facts dd, .call dd { grid-column: 1 } button { flex: 1 1 100% } }
`
