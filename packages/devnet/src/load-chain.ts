import { accountCount } from './accounts.ts'
import { createBlockWriter } from './block-writer.ts'
import type { Layout } from './layout.ts'
import { leadSeconds } from './make-dump.ts'
import { type Anvil, startAnvil } from './start-anvil.ts'
import { historyHours, tradeHours } from './trade-hours.ts'

/**
 * Serves a seeded state: trades the whole hours that passed since it was made, with the times they would have had, and
 * ends with a block of the present.
 */
export async function loadChain(options: LoadOptions): Promise<Anvil> {
  const { anvilPath: path, dump, chainId, port } = options
  const args = ['--accounts', String(accountCount), '--load-state', dump]
  const anvil = await startAnvil({ path, chainId, port, args, readyTimeoutMs: 30_000 })
  try {
    if (options.tradingHours > 0) await catchUp(anvil, options)
    // Anvil's clock follows the last block it was told about; this puts it back to the present.
    await anvil.client.request({ method: 'evm_setTime', params: [options.now()] })
    await anvil.client.mine({ blocks: 1 })
    return anvil
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

type LoadOptions = {
  readonly anvilPath: string
  /** The file that holds the state. */
  readonly dump: string
  readonly layout: Layout
  readonly chainId: number
  readonly port: number
  /** How many hours of trading the state holds. */
  readonly tradingHours: number
  /** Unix seconds. */
  readonly now: () => number
}

async function catchUp({ client, rpcUrl }: Anvil, { layout, tradingHours, now }: LoadOptions): Promise<void> {
  const [genesis, head] = await Promise.all([client.getBlock({ blockNumber: 0n }), client.getBlock()])
  const hourZeroTimestamp = Number(genesis.timestamp) + leadSeconds - (historyHours - tradingHours) * 3_600
  const last = Math.floor((now() - hourZeroTimestamp) / 3_600)
  if (last <= historyHours) return
  // Anvil starts its clock at the present whatever it loads, and refuses a block before it.
  await client.request({ method: 'evm_setTime', params: [Number(head.timestamp)] })
  await client.setAutomine(false)
  const writer = await createBlockWriter(client, rpcUrl)
  await tradeHours(writer, { layout, hourZeroTimestamp, first: historyHours + 1, last })
  await writer.verify()
  await client.setAutomine(true)
}
