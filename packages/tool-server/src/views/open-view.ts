import { type ChartSpec, pictureOf } from '../charts/chart-spec.ts'
import type { Theme } from '../charts/palette.ts'
import type { Figures } from '../charts/figures.ts'
import { connectHost, isRecord } from './host-bridge.ts'
import { openPage } from './page.ts'
import { readResult } from './read-result.ts'
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
