import { repeatedAnswer } from '../dispatch/call-result.ts'

/** A result, read by paths such as `feesCollected.totalUsd`. */
export function answerOf(data: unknown): Answer {
  const at = (path: string): unknown =>
    path.split('.').reduce<unknown>((value, key) => (value as Record<string, unknown> | null)?.[key], data)
  const read = (path: string, type: 'string' | 'number' | 'boolean'): unknown => {
    const value = at(path)
    if (typeof value === type) return value
    throw new TypeError(`${path} is ${JSON.stringify(value)}, no ${type}`)
  }
  return {
    data,
    at,
    text: (path: string) => read(path, 'string') as string,
    number: (path: string) => read(path, 'number') as number,
    list(path: string): Answer[] {
      const value = at(path)
      if (!Array.isArray(value)) throw new TypeError(`${path} is no list`)
      return value.map(answerOf)
    },
  }
}

/** What a repeat under the same key answers to a call that was answered with this. */
export function repeatOf(data: unknown): unknown {
  return repeatedAnswer(data as Record<string, unknown>)
}

/** The tokens of the pool that an answer names, in the pool's own order. */
export function poolTokens(answer: Answer): readonly string[] {
  const tokens = [answer.text('pool.token0'), answer.text('pool.token1')]
  return tokens.toSorted((one, other) => (BigInt(one) < BigInt(other) ? -1 : 1))
}

export type Answer = {
  readonly data: unknown
  at(path: string): unknown
  text(path: string): string
  number(path: string): number
  list(path: string): Answer[]
}
