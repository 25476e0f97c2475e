import type { Box } from './place-labels.ts'

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
