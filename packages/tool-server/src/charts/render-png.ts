import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
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

/** Whether font and renderer are there: a server that was copied to a place of its own has neither beside it. */
export function canRenderPng(resolve: (name: string) => string = createRequire(import.meta.url).resolve): boolean {
  try {
    return existsSync(fontFile()) && resolve('@resvg/resvg-js') !== ''
  } catch {
    return false
  }
}

function fontFile(): string {
  return fileURLToPath(new URL('../../fonts/inter-latin.ttf', import.meta.url))
}
