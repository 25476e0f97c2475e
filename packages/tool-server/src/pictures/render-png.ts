import { fileURLToPath } from 'node:url'

/**
 * Turns an SVG into a PNG of twice its size, for screens with small pixels. Letters are drawn with the shipped font and no
 * other, so that a picture looks the same on every machine.
 */
export async function renderPng(svg: string): Promise<Uint8Array> {
  const { Resvg } = await import('@resvg/resvg-js')
  const fontFiles = [fileURLToPath(new URL('../../fonts/inter-latin.ttf', import.meta.url))]
  const font = { loadSystemFonts: false, fontFiles, defaultFontFamily: 'Inter', sansSerifFamily: 'Inter' }
  return new Resvg(svg, { font, fitTo: { mode: 'zoom', value: 2 } }).render().asPng()
}
