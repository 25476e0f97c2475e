/**
 * The ziggurat of 256 layers that turns words of 32 random bits into normal numbers. A word gives layer and place: they share
 * eight low bits, which moves a number by 2^-23 of its layer at most.
 *
 * Source: Marsaglia and Tsang, "The ziggurat method for generating random variables", J. Stat. Softw. 5 (2000).
 *
 * @param uniform - gives numbers strictly between 0 and 1, for the one word in a hundred that its layer does not decide
 */
export function createZiggurat(uniform: () => number): Ziggurat {
  const { limit, width, density } = createLayers()
  /** A number beyond the end of the lowest layer (Marsaglia 1964). */
  const tail = () => {
    for (;;) {
      const x = -Math.log(uniform()) / edge
      if (-2 * Math.log(uniform()) > x * x) return edge + x
    }
  }
  const beyond = (word: number) => {
    const layer = word & 255
    if (layer === 0) return word < 0 ? -tail() : tail()
    const place = word * (width[layer] ?? 0)
    const inner = density[layer - 1] ?? 0
    const outer = density[layer] ?? 0
    return outer + uniform() * (inner - outer) < Math.exp(-0.5 * place * place) ? place : null
  }
  return { limit, width, beyond }
}

/** A signed word `w` of layer `l = w & 255` is the number `w * width[l]` where `|w| < limit[l]`. */
export type Ziggurat = {
  readonly limit: Float64Array
  readonly width: Float64Array
  /** The number of a word that its layer does not decide, or `null` where another word must be drawn. */
  readonly beyond: (word: number) => number | null
}

/** Where the lowest layer ends, and the area of each layer. */
const edge = 3.6541528853610088
const area = 0.00492867323399
const scale = 0x80000000

function createLayers() {
  const limit = new Float64Array(256)
  const width = new Float64Array(256)
  const density = new Float64Array(256)
  const bottom = area / Math.exp(-0.5 * edge * edge)
  limit[0] = (edge / bottom) * scale
  width[0] = bottom / scale
  density[0] = 1
  let x = edge
  for (let layer = 255; layer > 0; layer -= 1) {
    const height = Math.exp(-0.5 * x * x)
    const inner = layer === 1 ? 0 : Math.sqrt(-2 * Math.log(area / x + height))
    limit[layer] = (inner / x) * scale
    width[layer] = x / scale
    density[layer] = height
    x = inner
  }
  return { limit, width, density }
}
