import type { PositionRange } from './pool-event.ts'

/** Where a position stands in a pool's `positions`; the owner is an address in any case of letters. */
export function positionKey({ owner, tickLower, tickUpper }: PositionRange): string {
  return `${owner.toLowerCase()}:${tickLower}:${tickUpper}`
}
