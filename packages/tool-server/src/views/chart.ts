import { BarChart, LineChart, ScatterChart } from 'echarts/charts'
import { GridComponent, LegendComponent, MarkLineComponent, TitleComponent } from 'echarts/components'
import { init, use } from 'echarts/core'
import { CanvasRenderer } from 'echarts/renderers'
import { pictureOf, type ChartSpec } from '../charts/chart-spec.ts'
import type { Theme } from '../charts/palette.ts'

/** A chart that is drawn as wide as its box, and again when that or the theme changes. */
export type Chart = { show(drawing: ChartSpec, shown: Shown): void; close(): void }

/** In which colours, and of several strategies whose ranges. */
export type Shown = { readonly theme: Theme; readonly strategy?: string | undefined }

export function openChart(box: HTMLElement): Chart {
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
