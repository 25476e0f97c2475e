import type { EChartsOption } from 'echarts'

/** A drawing before it is drawn: plain data for the chart library, and its size in pixels. */
export type Picture = { readonly option: EChartsOption; readonly width: number; readonly height: number }
