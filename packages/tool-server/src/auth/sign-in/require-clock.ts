import { ToolError } from '@svc/amm'
import type { Chain } from '@svc/wallet/core'

/**
 * Refuses to sign anybody in while the clock of this server and the newest block are far apart: challenges and tokens would end too late, or too early.
 * A block that is too old may also be that of an endpoint which lags behind, and who reads revoked rights there is not to be believed either. The
 * blocks of a local chain come when somebody sends something, at whatever time it was told, so they say nothing of a clock.
 */
export function requireClock(
  { timestamp }: { readonly timestamp: bigint },
  { chain, now, onClockOff }: ClockPlace,
): void {
  const behindSeconds = Number(timestamp) - now() / 1_000
  const mostOld = Math.max(mostApartSeconds, chain.maxHeadAgeSeconds ?? mostApartSeconds)
  if (chain.local === true || (behindSeconds <= mostApartSeconds && -behindSeconds <= mostOld)) return
  onClockOff({ chain: chain.name, behindSeconds: Math.round(behindSeconds) })
  throw new ToolError(
    'CLOCK_OFF',
    'The clock of this server and the time of the chain are too far apart to sign anybody in.',
  )
}

type ClockPlace = {
  readonly chain: Pick<Chain, 'name' | 'local' | 'maxHeadAgeSeconds'>
  /** Unix milliseconds. */
  readonly now: () => number
  /** Hears by how much the clock is behind the newest block; ahead of it where that is negative. */
  readonly onClockOff: (facts: { readonly chain: string; readonly behindSeconds: number }) => void
}

const mostApartSeconds = 120
