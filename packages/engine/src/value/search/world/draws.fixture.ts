import type { Random } from '@svc/lp-math'

export function logUniform(random: Random, low: number, high: number): number {
  return low * (high / low) ** random.uniform()
}

export function pick<Value>(random: Random, values: readonly Value[]): Value {
  const value = values[random.uint32() % values.length]
  if (value === undefined) throw new Error('There is nothing to draw from.')
  return value
}

export function chance(random: Random, likely: number): boolean {
  return random.uniform() < likely
}

export function whole(random: Random, low: number, high: number): number {
  return low + (random.uint32() % (high - low + 1))
}
