import { answeredAt, cameAt, type TrafficCounts } from '../traffic.ts'
import { type Picture, darkStyle } from '../charts/frame.ts'
import { LpMathError, type LpMathErrorCode } from '@svc/lp-math'
import { type Between, compute, type WorkOutput, type WorkRequest } from './compute.ts'
import { pictureOf, type ChartRequest } from '../charts/chart-spec.ts'
import { renderPng } from '../charts/render-png.ts'

/**
 * Carries a task out; between its portions it tells how far it is, looks whether it shall stop, and lets its core go. Never rejects.
 */
export async function runWork(
  task: WorkTask,
  report: (message: WorkMessage) => void,
  yieldCore: () => void = createCoreYield(task.traffic),
): Promise<void> {
  let reported = { done: 0, at: performance.now() }
  const between: Between = (done, of) => {
    if (Atomics.load(task.stop, 0) !== 0) throw stopped
    yieldCore()
    const isNews = done - reported.done >= of / 20 || performance.now() - reported.at > quietMs
    if (done === 0 || !(isNews || done === of)) return
    reported = { done, at: performance.now() }
    report({ kind: 'progress', done, of })
  }
  try {
    between(0, 1)
    report({ kind: 'result', output: await outputOf(task, between) })
  } catch (error) {
    report(error === stopped ? { kind: 'stopped' } : failure(error))
  }
}

const stopped = Symbol('stopped')

/** Progress is reported of every twentieth, and of less where that takes longer. */
const quietMs = 100

function outputOf(task: WorkTask, between: Between): WorkOutput | Promise<WorkOutput> {
  return task.kind === 'draw' ? draw(task.input) : compute(task, between)
}

function failure(error: unknown): WorkMessage {
  const message = error instanceof Error ? error.message : String(error)
  return { kind: 'failed', message, code: error instanceof LpMathError ? error.code : null }
}

/** An SVG as text, or the bytes of a PNG. */
export async function draw({ drawing, theme, width, format }: ChartRequest): Promise<string | Uint8Array> {
  if (format === 'svg') return renderSvg(pictureOf(drawing, { theme, width }))
  return renderPng(await renderSvg(pictureOf(drawing, { theme: theme ?? 'light', width })))
}

/** Draws a picture as SVG, without a browser: the same text for the same picture. The chart library is loaded at the first use. */
export async function renderSvg({ option, width, height, followsViewer }: Picture): Promise<string> {
  const [{ init, use }, charts, components, { SVGRenderer }] = await Promise.all([
    import('echarts/core'),
    import('echarts/charts'),
    import('echarts/components'),
    import('echarts/renderers'),
  ])
  const { GridComponent, LegendComponent, MarkLineComponent, TitleComponent } = components
  use([charts.LineChart, charts.BarChart, charts.ScatterChart])
  use([GridComponent, LegendComponent, MarkLineComponent, TitleComponent, SVGRenderer])
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height })
  try {
    chart.setOption(option)
    const svg = withOwnNames(chart.renderToSVGString())
    return followsViewer ? svg.replace(/^<svg[^>]*>/, (begin) => `${begin}${darkStyle()}`) : svg
  } finally {
    chart.dispose()
  }
}

/** The chart library counts classes and clip paths over all pictures that a process draws: here they count from 0 in each. */
function withOwnNames(svg: string): string {
  const names = new Map<string, string>()
  return svg.replaceAll(/\bzr\d+-(c|cls-)\d+\b/g, (name, kind: string) => {
    const own = names.get(name) ?? `zr-${kind}${names.size}`
    names.set(name, own)
    return own
  })
}

/**
 * Makes a function to call often in long work. Once half a millisecond has gone by since the last time it lets the core go: where a
 * request has come in meanwhile that is not answered, until one is, a millisecond at most; else for a moment, which takes about a tenth
 * of one. A scheduler leaves a thread that never waits on its core for some milliseconds at a time, however low its priority, and the
 * thread that answers calls waits as long.
 */
export function createCoreYield(
  traffic: TrafficCounts,
  { now = () => performance.now(), wait = waitForAnswer }: CoreYieldOptions = {},
): () => void {
  let lastAt = now()
  let [came, answered] = [Atomics.load(traffic, cameAt), Atomics.load(traffic, answeredAt)]
  return () => {
    if (now() - lastAt < workMs) return
    const [cameBefore, answeredBefore] = [came, answered]
    came = Atomics.load(traffic, cameAt)
    answered = Atomics.load(traffic, answeredAt)
    // Differences, cut to 32 bits as the counts are.
    const isAwaited = ((came - cameBefore) | 0) > ((answered - answeredBefore) | 0)
    wait(traffic, answered, isAwaited ? answerMs : momentMs)
    lastAt = now()
  }
}

type CoreYieldOptions = {
  /** Milliseconds since whenever. */
  readonly now?: () => number
  /** Blocks the thread until another number of requests is answered than so many, or for so many milliseconds. */
  readonly wait?: (traffic: TrafficCounts, answered: number, ms: number) => void
}

const workMs = 0.5
const answerMs = 1
/** As short a time as the system can. */
const momentMs = 0.02

function waitForAnswer(traffic: TrafficCounts, answered: number, ms: number): void {
  Atomics.wait(traffic, answeredAt, answered, ms)
}

/** `stop` holds one shared number that is no longer 0 once the answer is not wanted any more. */
export type WorkTask = WorkRequest & { readonly stop: Int32Array; readonly traffic: TrafficCounts }

/** What a thread says of its task; all but the first end it. */
export type WorkMessage =
  | { readonly kind: 'progress'; readonly done: number; readonly of: number }
  | { readonly kind: 'result'; readonly output: WorkOutput }
  | { readonly kind: 'stopped' }
  | { readonly kind: 'failed'; readonly message: string; readonly code: LpMathErrorCode | null }
