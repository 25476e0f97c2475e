/**
 * The next word of the generator xoshiro128** 1.1, as a signed integer of 32 bits; moves the state, four words that are not all zero.
 *
 * Source: Blackman and Vigna, "Scrambled linear pseudorandom number generators", ACM Trans. Math. Softw. 47 (2021).
 */
export function nextWord(state: Int32Array): number {
  let a = state[0] ?? 0
  let b = state[1] ?? 0
  let c = state[2] ?? 0
  let d = state[3] ?? 0
  const scaled = Math.imul(b, 5)
  const word = Math.imul((scaled << 7) | (scaled >>> 25), 9)
  const shifted = b << 9
  c ^= a
  d ^= b
  b ^= c
  a ^= d
  state[0] = a
  state[1] = b
  state[2] = c ^ shifted
  state[3] = (d << 11) | (d >>> 21)
  return word
}
