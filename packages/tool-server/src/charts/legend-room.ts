import { textWidth } from './text-width.ts'

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
