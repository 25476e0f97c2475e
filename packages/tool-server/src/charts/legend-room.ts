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
