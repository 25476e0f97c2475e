import type {
  EChartsOption,
  LegendComponentOption,
  SeriesOption,
  TitleComponentOption,
  XAXisComponentOption,
  YAXisComponentOption,
} from 'echarts'
import type { Box } from './place-labels.ts'

/** What every picture has: its ground and letters, a title above, and below how the figures were come by. */
export function frame(words: FrameWords, palette: Palette, look: Look): EChartsOption {
  const { isBare = false } = look
  const { title, subtitle, caption, parts } = words
  const lines = linesOf(words, look)
  const { left } = roomFor(words, look)
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
            text: lines.title.join('\n'),
            subtext: lines.subtitle.join('\n'),
            left,
            top: 14,
            itemGap: 6,
            textStyle: { color: palette.ink, fontSize: titleSize, fontWeight: 600, lineHeight: titleLine },
            subtextStyle: { color: palette.faint, fontSize: subtitleSize, lineHeight: subtitleLine },
          },
          ...parts.map(named),
          {
            text: lines.caption.join('\n'),
            left,
            bottom: 12,
            textStyle: { color: palette.faint, fontSize: legendFontSize, fontWeight: 400, lineHeight: captionLine },
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

/** Room above the first part and below the last: for title and caption, or none; and where headings begin. */
export function roomFor(words: Omit<FrameWords, 'parts'>, look: Look): Room {
  // A heading has five pixels around it, which a page has no use for.
  if (look.isBare === true) return { above: 6, below: 4, left: -5 }
  const { title, subtitle, caption } = linesOf(words, look)
  const more = titleLine * (title.length - 1) + subtitleLine * (subtitle.length - 1)
  return {
    above: 74 + more,
    below: Math.max(78, 30 + captionLine * caption.length),
    left: (look.width ?? fullWidth) < wideFrom ? 12 : 24,
  }
}

export type Room = { readonly above: number; readonly below: number; readonly left: number }

const titleSize = 18
const titleLine = 22
const subtitleSize = 13
const subtitleLine = 18
const captionLine = 16

/** Broken where the picture is narrower than the words were written for. */
function linesOf({ title, subtitle, caption }: Omit<FrameWords, 'parts'>, { width = fullWidth }: Look) {
  const wrap = (text: string, fontSize: number) => (width < fullWidth ? wrapped(text, fontSize, width - 24) : [text])
  return {
    // Its letters are bold.
    title: wrap(title, titleSize * 1.08),
    subtitle: wrap(subtitle, subtitleSize),
    caption: caption.flatMap((line) => wrap(line, legendFontSize)),
  }
}

function wrapped(text: string, fontSize: number, width: number): readonly string[] {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`
    if (line !== '' && textWidth(longer, fontSize) > width) {
      lines.push(line)
      line = word
    } else line = longer
  }
  return [...lines, line]
}

/** A part of a picture with axes and a legend of its own. */
export type AxesPart = {
  readonly legend: LegendComponentOption
  readonly xAxis: XAXisComponentOption
  readonly yAxis: YAXisComponentOption
  readonly series: SeriesOption[]
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

/** A drawing before it is drawn: plain data for the chart library, and its size in pixels. */
export type Picture = {
  readonly option: EChartsOption
  readonly width: number
  readonly height: number
  /** Whether an SVG of it is to have the colours that its viewer prefers. */
  readonly followsViewer: boolean
}

/**
 * A scale in round steps, about five of them, over these values, and over 0 by default. Throws nothing: without an extent
 * it is 1 long.
 */
export function niceScale(values: readonly number[], { withZero = true } = {}): Scale {
  const held = withZero || values.length === 0 ? [0, ...values] : values
  const low = Math.min(...held)
  const high = Math.max(...held)
  const interval = roundStep((high - low || 1) / 5)
  const min = interval * Math.floor(low / interval)
  const max = interval * Math.ceil(high / interval)
  return { min, max: max > min ? max : min + 5 * interval, interval }
}

export type Scale = { readonly min: number; readonly max: number; readonly interval: number }

/** The next of 1, 2, 2.5 and 5 times a power of ten. */
function roundStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least))
  const times = [1, 2, 2.5, 5].find((one) => one * power >= least * (1 - 1e-9)) ?? 10
  return times * power
}

/**
 * The items of a legend, each with room for its words in a viewer's own font: an SVG is measured with the shipped one, which is
 * narrower, and what follows an item would lie on its last letters.
 */
export function legendItems(items: readonly LegendItem[]): LegendItem[] {
  return items.map((item) => ({ ...item, textStyle: roomOf(item.name) }))
}

export type LegendItem = {
  readonly name: string
  readonly icon?: string
  readonly itemStyle?: { readonly color: string }
  readonly textStyle?: ReturnType<typeof roomOf>
}

export const legendFontSize = 11

/** A width counts only for words on a ground. */
function roomOf(name: string) {
  return { width: textWidth(name, legendFontSize), backgroundColor: 'transparent' }
}

/** The most that a text is wide in pixels, in any of the usual fonts without serifs: the widest of them, DejaVu Sans, has these letters. */
export function textWidth(text: string, fontSize: number): number {
  const widths = Array.from(text, (letter) => classes.find(({ letters }) => letters.test(letter))?.em ?? other)
  return Math.ceil(fontSize * widths.reduce((sum, em) => sum + em, 0))
}

const classes = [
  { letters: /[ijl.,:;'| ]/, em: 0.34 },
  { letters: /[frt()/\-[\]]/, em: 0.42 },
  { letters: /[a-ln-vx-z0-9]/, em: 0.64 },
  { letters: /[mM%]/, em: 0.98 },
  { letters: /[W]/, em: 0.99 },
]

/** Capitals, signs and whatever else there is. */
const other = 0.84

/** The colours of a picture. Those of the series are Okabe and Ito's, which the colour-blind tell apart; the best is darker, for small letters. */
export const palettes = {
  light: {
    ground: '#ffffff',
    ink: '#1a1a1a',
    faint: '#555555',
    grid: '#dddddd',
    best: '#bf5300',
    fan: '#0072b2',
    series: ['#0072b2', '#009e73', '#cc79a7', '#b8860b', '#56b4e9', '#7f4fc9', '#8c564b', '#444444'],
  },
  dark: {
    ground: '#161b22',
    ink: '#f0f0f0',
    faint: '#b0b8c0',
    grid: '#39424d',
    best: '#ff8c42',
    fan: '#56b4e9',
    series: ['#56b4e9', '#2ecc9a', '#e3a0c6', '#f0e442', '#8fb8ff', '#c6a8ff', '#d8a48f', '#cccccc'],
  },
} as const

export type Theme = keyof typeof palettes

export type Palette = (typeof palettes)[Theme]

/**
 * A style for an SVG in light colours that shows it in the dark ones where the viewer prefers them: a picture that lies on a dark page
 * is no white slab there. What it says of colours goes before the attributes of what is drawn.
 */
export function darkStyle(): string {
  const { light, dark } = palettes
  const { series: lightSeries, ...lightOnes } = light
  const { series: darkSeries, ...darkOnes } = dark
  const [from, to] = [
    [...Object.values(lightOnes), ...lightSeries],
    [...Object.values(darkOnes), ...darkSeries],
  ]
  const rules = from.flatMap((colour, index) =>
    ['fill', 'stroke'].map((attribute) => `[${attribute}="${colour}"]{${attribute}:${to[index] ?? colour}}`),
  )
  return `<style>@media (prefers-color-scheme:dark){${rules.join('')}}</style>`
}

/** How a picture looks where it is shown. */
export type Look = {
  /** Where none is given, light, and as an SVG dark for a viewer that prefers it. */
  readonly theme?: Theme | undefined
  /** In pixels, at least 320; 1,000 unless given. Where it is narrow the parts stand below each other. */
  readonly width?: number | undefined
  /** Without title and caption, for a page that says them itself. */
  readonly isBare?: boolean
  /** Whose ranges, fees and losses are shown, where there are several; the best one's unless given. */
  readonly strategy?: string | undefined
}

/** A part of a picture: where its heading begins, and its axes. */
export type Part = { readonly left: number; readonly top: number; readonly grid: Box }

export const fullWidth = 1_000

/** From here on parts fit beside each other. */
export const wideFrom = 720
