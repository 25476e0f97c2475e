import type { Log } from '@svc/runtime'
import type { BarStore, RateLeases, TokenStore } from '@svc/store'
import { createAttempts } from './auth/attempts.ts'
import type { Config } from './config/config-shape.ts'
import { openState } from './open-state.ts'

/**
 * What servers that only read share with each other in the database that the operator names: closed bars of pools, what tokens say
 * of themselves, and the rate limits. A server that signs opens its own state, and takes nothing of tokens from here.
 *
 * @throws ConfigError when the database cannot be reached at the start; later it may go away, and the chain is asked.
 */
export async function openSharedReads(config: Config, log: Pick<Log, 'warn'>): Promise<SharedReads> {
  const store = await openState(config)
  const now = () => performance.now()
  const attempt = createAttempts({ now, onError: (error) => log.warn('reads.not-shared', { error }) })
  const { bars, tokens, rateLeases } = store
  return {
    bars: {
      read: (...asked) => attempt(() => bars.read(...asked)),
      keep: (...given) => attempt(() => bars.keep(...given)),
    },
    tokens: {
      read: (...asked) => attempt(() => tokens.read(...asked)),
      keep: (...given) => attempt(() => tokens.keep(...given)),
    },
    rateLeases,
    close: () => store.close(),
  }
}

export type SharedReads = {
  readonly bars: BarStore
  readonly tokens: TokenStore
  readonly rateLeases: RateLeases
  close(): Promise<void>
}
