import { palettes, type Theme } from '../charts/palette.ts'
import type { Fact, Figures, Table } from '../charts/figures.ts'
import type { Problem } from './read-result.ts'

/** The page around a chart. All that it shows goes in as text, whatever it holds. */
export type Page = {
  setTheme(theme: Theme): void
  /** What is going on, reported to screen readers as well; `isBusy` while something is to come. */
  say(words: string, isBusy?: boolean): void
  fail(problem: Problem): void
  /** Shows an answer, under a problem if there is one. */
  answer(figures: Figures): ShownAnswer
}

export type ShownAnswer = {
  /** Of the chart. */
  readonly box: HTMLElement
  /** Lets the reader choose above the chart, where there is something to choose; the first stands chosen. */
  readonly choose: (label: string, names: readonly string[], hear: (name: string) => void) => void
}

export function openPage(): Page {
  const root = document.documentElement
  const main = document.querySelector('main') ?? document.body
  const status = element('p', { class: 'status', role: 'status' })
  const problem = element('div', { role: 'alert' })
  const body = element('div', {})
  main.append(status, problem, body)
  return {
    setTheme(theme) {
      root.style.colorScheme = theme
      for (const [name, colour] of Object.entries(palettes[theme])) {
        if (typeof colour === 'string') root.style.setProperty(`--${name}`, colour)
      }
    },
    say(words, isBusy = false) {
      main.setAttribute('aria-busy', String(isBusy))
      status.replaceChildren(...(isBusy ? [element('span', { class: 'pulse', 'aria-hidden': 'true' })] : []), words)
    },
    fail: (what) => problem.replaceChildren(...problemParts(what)),
    answer(figures) {
      const box = element('div', { class: 'chart', role: 'img', 'aria-label': figures.chart })
      const choices = element('div', {})
      body.replaceChildren(
        element('h1', {}, figures.heading),
        element('dl', { class: 'facts' }, ...figures.facts.map(factPart)),
        choices,
        element('figure', {}, box),
        ...notesPart(figures.notes),
        ...figures.tables.map(tablePart),
        element(
          'details',
          {},
          element('summary', {}, 'How these figures were come by'),
          element('p', {}, figures.method),
        ),
      )
      return {
        box,
        choose: (label, names, hear) => void (names.length > 1 && choices.append(choicePart(label, names, hear))),
      }
    },
  }
}

function choicePart(label: string, names: readonly string[], hear: (name: string) => void): Node {
  const select = document.createElement('select')
  select.append(...names.map((name) => element('option', { value: name }, name)))
  select.addEventListener('change', () => hear(select.value))
  return element('label', { class: 'choice' }, `${label} `, select)
}

function problemParts({ code, message, fix, details }: Problem): Node[] {
  return [
    element('h1', {}, message),
    ...(fix === null ? [] : [element('p', {}, element('strong', {}, 'What to do: '), fix)]),
    ...(details.length === 0 ? [] : [listOf(details)]),
    ...(code === null ? [] : [element('p', { class: 'faint' }, 'Code ', element('code', {}, code))]),
  ]
}

function factPart({ label, value, detail }: Fact): Node {
  return element(
    'div',
    {},
    element('dt', {}, label),
    element('dd', { class: 'value' }, value),
    element('dd', {}, detail),
  )
}

function notesPart(notes: readonly string[]): Node[] {
  return notes.length === 0 ? [] : [element('h2', {}, 'To be borne in mind'), listOf(notes)]
}

function listOf(lines: readonly string[]): Node {
  return element('ul', {}, ...lines.map((line) => element('li', {}, line)))
}

/** A wide table is moved sideways in its own box, by the keyboard too. */
function tablePart({ caption, columns, rows }: Table): Node {
  const head = element('tr', {}, ...columns.map((name) => element('th', { scope: 'col' }, name)))
  const lines = rows.map(([name = '', ...cells]) =>
    element('tr', {}, element('th', { scope: 'row' }, name), ...cells.map((cell) => element('td', {}, cell))),
  )
  const table = element(
    'table',
    {},
    element('caption', {}, element('span', {}, caption)),
    element('thead', {}, head),
    element('tbody', {}, ...lines),
  )
  return element('div', { class: 'scrolls', role: 'region', 'aria-label': caption, tabindex: '0' }, table)
}

function element(
  name: string,
  attributes: Readonly<Record<string, string>>,
  ...children: (Node | string)[]
): HTMLElement {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.append(...children)
  return made
}
