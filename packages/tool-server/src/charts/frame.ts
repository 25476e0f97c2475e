import type { EChartsOption, TitleComponentOption } from 'echarts'
import type { Look, Palette } from './palette.ts'

/** What every picture has: its ground and letters, a title above, and below how the figures were come by. */
export function frame(words: FrameWords, palette: Palette, { isBare = false }: Look): EChartsOption {
  const { title, subtitle, caption, parts } = words
  const named = (part: FramePart): TitleComponentOption => ({
    text: part.text,
    left: part.left,
    top: part.top,
    textStyle: { color: palette.ink, fontSize: 13, fontWeight: 600 },
  })
  return {
    animation: false,
    backgroundColor: palette.ground,
    textStyle: { color: palette.ink, fontFamily },
    aria: { enabled: true, label: { description: `${title}. ${subtitle}. ${caption.join(' ')}` } },
    title: isBare
      ? parts.map(named)
      : [
          {
            text: title,
            subtext: subtitle,
            left: 24,
            top: 14,
            itemGap: 6,
            textStyle: { color: palette.ink, fontSize: 18, fontWeight: 600 },
            subtextStyle: { color: palette.faint, fontSize: 13, lineHeight: 18 },
          },
          ...parts.map(named),
          {
            text: caption.join('\n'),
            left: 24,
            bottom: 12,
            textStyle: { color: palette.faint, fontSize: 11, fontWeight: 400, lineHeight: 16 },
          },
        ],
  }
}

export type FrameWords = {
  readonly title: string
  readonly subtitle: string
  readonly caption: readonly string[]
  readonly parts: readonly FramePart[]
}

export type FramePart = { readonly text: string; readonly left: number; readonly top: number }

/** An axis in the picture's own colours, its unit in its name. */
export function axisLook(name: string, palette: Palette) {
  return {
    name,
    nameLocation: 'middle' as const,
    nameTextStyle: { color: palette.faint, fontSize: 12 },
    axisLabel: { color: palette.ink, fontSize: 11, hideOverlap: true },
    axisLine: { show: true, lineStyle: { color: palette.faint } },
    splitLine: { lineStyle: { color: palette.grid } },
  }
}

/** Words at a line, on a ground of their own, since bands and bars lie below. */
export function lineLabel({ ground }: Palette) {
  return { position: 'insideEndTop' as const, fontSize: 11, backgroundColor: ground, padding: [1, 3] }
}

/** Inter is shipped for where a picture becomes pixels; a viewer without it takes its own. */
const fontFamily = 'Inter, system-ui, sans-serif'
