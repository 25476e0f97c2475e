import { gunzipSync } from 'node:zlib'
import { accountCount, type DevAccount } from './accounts.ts'
import type { ChainClient } from './chain-client.ts'
import type { Layout } from './layout.ts'
import { createMarket } from './market.ts'
import { seedChain } from './seed-chain.ts'
import { startAnvil } from './start-anvil.ts'

/** Seeds a chain that ends at `nowTimestamp` (unix seconds) and returns its state as anvil's `--load-state` reads it. */
export async function makeDump(options: {
  readonly anvilPath: string
  readonly layout: Layout
  readonly testAccounts: readonly DevAccount[]
  readonly nowTimestamp: number
}): Promise<string> {
  const startTimestamp = options.nowTimestamp - leadSeconds
  const anvil = await startAnvil({
    path: options.anvilPath,
    chainId: 31_337,
    port: 0,
    args: `--accounts ${accountCount} --timestamp ${startTimestamp} --no-mining --order fees --prune-history`.split(
      ' ',
    ),
    readyTimeoutMs: 30_000,
  })
  try {
    const market = createMarket({ seed: 'svc', nowHour: 0 })
    await seedChain(anvil.client, { ...options, usd: market.pricesAt(0), startTimestamp })
    return await dumpState(anvil.client)
  } finally {
    await anvil.stop()
  }
}

/** The pools are this much older than the first block of interest, so that a time-weighted price has its past. */
const leadSeconds = 2 * 3_600

/** Anvil keeps the trace of every transaction in its state; half the size of the file, and nobody reads them. */
async function dumpState(client: ChainClient): Promise<string> {
  const packed = await client.request({ method: 'anvil_dumpState' })
  const state: { transactions: { info: { traces: unknown[] } }[] } = JSON.parse(
    gunzipSync(Buffer.from(packed.slice(2), 'hex')).toString(),
  )
  for (const transaction of state.transactions) transaction.info.traces = []
  return JSON.stringify(state)
}
