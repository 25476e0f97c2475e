import { pictureOf, type DrawingRequest } from '../charts/drawing.ts'
import { renderPng } from '../charts/render-png.ts'
import { renderSvg } from '../charts/render-svg.ts'

/** An SVG as text, or the bytes of a PNG. */
export async function draw({ drawing, theme, format }: DrawingRequest): Promise<string | Uint8Array> {
  const svg = await renderSvg(pictureOf(drawing, { theme }))
  return format === 'svg' ? svg : renderPng(svg)
}
