/** A stream of random numbers that its seed determines. */
export function createRandom(seed: string): Random {
  let state = hash(seed)
  const next = () => {
    // splitmix32 (Steele, Lea, Flood 2014, in its 32-bit form)
    state = (state + 0x9e3779b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21f0aaad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x735a2d97)
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32
  }
  return {
    next,
    // Box-Muller; 1 - u keeps the logarithm away from zero.
    normal: () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
    below: (bound) => Math.floor(next() * bound),
  }
}

export type Random = {
  /** Uniform in [0, 1). */
  readonly next: () => number
  /** Normal, mean 0 and deviation 1. */
  readonly normal: () => number
  /** A whole number from 0 to one below the bound. */
  readonly below: (bound: number) => number
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  return value
}
