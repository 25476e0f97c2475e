import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/**
 * Turns an SVG into a PNG of twice its size, for screens with small pixels. Letters are drawn with the shipped font and no
 * other, so that a picture looks the same on every machine.
 */
export async function renderPng(svg: string): Promise<Uint8Array> {
  const { renderAsync } = await import('@resvg/resvg-js')
  const font = { loadSystemFonts: false, fontFiles: [fontFile()], defaultFontFamily: 'Inter', sansSerifFamily: 'Inter' }
  const drawn = await renderAsync(svg, { font, fitTo: { mode: 'zoom', value: 2 } })
  return drawn.asPng()
}

/** Whether the font is there: the server in one file has none beside it, and no native library either. */
export function canRenderPng(): boolean {
  return existsSync(fontFile())
}

function fontFile(): string {
  return fileURLToPath(new URL('../../fonts/inter-latin.ttf', import.meta.url))
}
