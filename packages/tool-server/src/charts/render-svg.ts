import type { Picture } from './picture.ts'

/** Draws a picture as SVG, without a browser. The chart library is loaded at the first use. */
export async function renderSvg({ option, width, height }: Picture): Promise<string> {
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
    return chart.renderToSVGString()
  } finally {
    chart.dispose()
  }
}
