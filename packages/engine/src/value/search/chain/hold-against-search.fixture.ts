import type { Replayable } from '../programs/replayable.fixture.ts'
import type { ChainCall } from './replay-programs.fixture.ts'

/** How a program ended on the chain beside how it ended in the search. */
export function holdAgainstSearch({ codes, lossUsd }: Replayable, calls: readonly ChainCall[]): Comparison {
  if (codes.length !== calls.length)
    throw new TypeError(`${codes.length} calls in the search, ${calls.length} on the chain`)
  const chainUsd = calls.reduce((sum, call) => sum + call.lossUsd, 0)
  const refusedAlone = calls.filter(({ code }, index) => isRefusal(code) && !isRefusal(codes[index] ?? ''))
  const allowedAlone = calls.filter(({ code }, index) => !isRefusal(code) && isRefusal(codes[index] ?? ''))
  return { chainUsd, refusedAlone, allowedAlone, beyondUsd: chainUsd - lossUsd }
}

export type Comparison = {
  readonly chainUsd: number
  /** What the search let pass and the real pipeline did not. */
  readonly refusedAlone: readonly ChainCall[]
  /** What the search refused and the real pipeline did not. */
  readonly allowedAlone: readonly ChainCall[]
  /** How much more was lost on the chain; below zero where it was less. */
  readonly beyondUsd: number
}

/**
 * By how much the two may differ where both carried everything out: amounts are whole units on both sides, of which the dearest, of
 * bitcoin, is worth a tenth of a cent.
 */
export const toleranceUsd = 0.01

/** What was signed was mined, or failed by its own bounds, or came too late. */
function isRefusal(code: string): boolean {
  return !['mined', 'reverted', 'late', 'TRANSACTION_REVERTED'].includes(code)
}
