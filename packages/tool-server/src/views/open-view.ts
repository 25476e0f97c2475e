import { type ChartSpec, pictureOf } from '../charts/chart-spec.ts'
import { type Theme, palettes } from '../charts/frame.ts'
import type { Figures, Fact, Table } from '../charts/figures.ts'
import { connectHost, isRecord, readResult, type Problem } from './host-bridge.ts'
import { BarChart, LineChart, ScatterChart } from 'echarts/charts'
import { GridComponent, LegendComponent, MarkLineComponent, TitleComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'

/** Runs a view: waits for the host, follows the call, and shows what came of it. */
export function openView(view: View): void {
  const page = openPage()
  const root = document.documentElement
  const preferred = matchMedia('(prefers-color-scheme: dark)')
  let theme: Theme = preferred.matches ? 'dark' : 'light'
  let input: Input = {}
  let chart: Chart | undefined
  let drawn: ChartSpec | null = null
  let strategy: string | undefined
  const show = () => {
    if (drawn !== null) chart?.show(drawn, { theme, strategy })
  }
  const look = (wanted: Theme) => {
    theme = wanted
    page.setTheme(theme)
    show()
  }
  look(theme)
  page.say('Waiting for the host.', true)
  const host = connectHost(
    { name: view.name, version: '1' },
    {
      ready: () =>
        new ResizeObserver(() => {
          host.resized(root.clientWidth, Math.ceil(root.getBoundingClientRect().height))
        }).observe(root),
      context: (context) => (context.theme === undefined ? undefined : look(context.theme)),
      partialInput: (partial) => page.say(`The question is being written${subjectOf(partial)}.`, true),
      input(whole) {
        input = whole
        page.say(`${view.doing}${subjectOf(whole)}.`, true)
      },
      cancelled: (reason) =>
        page.say(reason === null ? 'The call was cancelled.' : `The call was cancelled: ${reason}`),
      result(result) {
        chart?.close()
        const { problem, answer, drawing } = readResult(result)
        if (problem !== null) page.fail(problem)
        try {
          const figures = answer === null ? null : view.figuresOf(answer, input)
          page.say(wordsOf(problem !== null, figures !== null))
          if (answer === null || figures === null) return
          const { box, choose } = page.answer(figures)
          strategy = undefined
          drawn = isDrawing(drawing) ? drawing : view.chartOf(answer, input)
          if (drawn === null) return box.replaceChildren('The host did not pass on what the chart is drawn from.')
          chart = openChart(box)
          show()
          choose('Ranges, fees and loss of', namesOf(drawn), (name) => {
            strategy = name
            show()
          })
        } catch {
          page.say('The answer is not of the form that this view knows. It stands as text in the conversation.')
        }
      },
    },
  )
  preferred.addEventListener('change', ({ matches }) => look(matches ? 'dark' : 'light'))
}

export type View = {
  readonly name: string
  /** What the tool does while one waits. */
  readonly doing: string
  /** `null` where the answer holds nothing to show. May throw at an answer of another form. */
  figuresOf(answer: Readonly<Record<string, unknown>>, input: Input): Figures | null
  /** The chart, as far as the answer itself says enough for it. */
  chartOf(answer: Readonly<Record<string, unknown>>, input: Input): ChartSpec | null
}

export type Input = Readonly<Record<string, unknown>>

function wordsOf(isProblem: boolean, isAnswer: boolean): string {
  if (isProblem) return isAnswer ? 'What was known in time stands below.' : ''
  return isAnswer ? '' : 'The answer is empty: there is nothing to draw.'
}

function subjectOf({ token0, token1, chain }: Input): string {
  const named = [token0, token1].filter((token) => typeof token === 'string').join('/')
  const place = typeof chain === 'string' || typeof chain === 'number' ? ` on ${chain}` : ''
  return named === '' ? '' : `: ${named}${place}`
}

/** Of the strategies whose ranges can be shown, that which is shown at first first. */
function namesOf(drawing: ChartSpec): readonly string[] {
  if (drawing.kind === 'range') return []
  const { strategies } = drawing.curves
  return strategies.toSorted((one, other) => other.netReturnPct - one.netReturnPct).map(({ name }) => name)
}

/** What our own server drew; its kind tells the builders apart. */
function isDrawing(value: unknown): value is ChartSpec {
  return isRecord(value) && (value['kind'] === 'range' || value['kind'] === 'backtest')
}

/** A chart that is drawn as wide as its box, and again when that or the theme changes. */
type Chart = { show(drawing: ChartSpec, shown: Shown): void; close(): void }

/** In which colours, and of several strategies whose ranges. */
type Shown = { readonly theme: Theme; readonly strategy?: string | undefined }

function openChart(box: HTMLElement): Chart {
  use([BarChart, LineChart, ScatterChart, CanvasRenderer])
  use([GridComponent, LegendComponent, MarkLineComponent, TitleComponent])
  const chart = init(box, null, { width: leastWidth, height: leastWidth })
  let shown: (Shown & { readonly drawing: ChartSpec }) | undefined
  let drawnWidth = 0
  const draw = () => {
    if (shown === undefined) return
    drawnWidth = box.clientWidth
    const look = { theme: shown.theme, strategy: shown.strategy, width: Math.max(leastWidth, drawnWidth), isBare: true }
    const { option, width, height } = pictureOf(shown.drawing, look)
    box.style.height = `${height}px`
    chart.resize({ width, height })
    chart.setOption(option, { notMerge: true })
  }
  const watch = new ResizeObserver(() => {
    if (box.clientWidth !== drawnWidth) draw()
  })
  watch.observe(box)
  return {
    show(drawing, how) {
      shown = { ...how, drawing }
      draw()
    },
    close() {
      watch.disconnect()
      chart.dispose()
    },
  }
}

const leastWidth = 300

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

function openPage(): Page {
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
