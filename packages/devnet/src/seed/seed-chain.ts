import type { Address } from 'viem'
import { addLiquidityCalls, createPoolCalls, growOracleCalls } from './add-liquidity-calls.ts'
import type { DevAccount } from '../accounts.ts'
import { type BlockWriter, createBlockWriter } from '../chain/block-writer.ts'
import type { ChainClient } from '../chain/chain-client.ts'
import { deploymentCalls, placeMulticall3 } from '../chain/deploy-contracts.ts'
import { approvalCalls, fundingCalls, venueCall } from '../chain/funding-calls.ts'
import { allPosts, postCall, sequencerAnswer } from '../feeds/feed-posts.ts'
import type { Layout } from './layout.ts'
import type { UsdPrices } from './prices.ts'

/**
 * Puts contracts, tokens, funds, approvals, pools, liquidity and the first answers of the price feeds on an empty chain that mines on demand, from
 * `startTimestamp` (unix seconds) on, at the market's prices `usd`. Returns the writer for whatever comes after.
 */
export async function seedChain(
  client: ChainClient,
  options: {
    readonly rpcUrl: string
    readonly layout: Layout
    readonly testAccounts: readonly DevAccount[]
    readonly usd: UsdPrices
    readonly startTimestamp: number
  },
): Promise<BlockWriter> {
  const { layout, usd } = options
  const testAddresses = options.testAccounts.map((account) => account.address)
  await giveEther(client, layout)
  await placeMulticall3(client)
  const writer = await createBlockWriter(client, options.rpcUrl)
  const phases = [
    deploymentCalls(layout),
    fundingCalls(layout, testAddresses, usd),
    approvalCalls(layout),
    layout.pools.flatMap((pool) => createPoolCalls(layout, pool, usd)),
    growOracleCalls(layout, () => 24),
    [
      venueCall(layout),
      postCall(layout, 'sequencer', sequencerAnswer.up),
      ...allPosts(layout, usd),
      ...layout.pools.flatMap((pool) => addLiquidityCalls(layout, pool, usd)),
    ],
  ]
  let timestamp = options.startTimestamp
  for (const calls of phases) timestamp = await writer.writeBlocks(calls, timestamp)
  await writer.verify()
  return writer
}

/** Ether enough for everything the seeding accounts ever do. */
async function giveEther(client: ChainClient, { roles, sponsors }: Layout): Promise<void> {
  const rich: readonly Address[] = [roles.deployer, roles.bank, ...roles.providers, ...roles.traders]
  const value = 20_000_000n * 10n ** 18n
  await Promise.all(rich.map(async (address) => await client.setBalance({ address, value })))
  for (const { address } of [sponsors.executor, sponsors.utility]) {
    await client.setBalance({ address, value: 1_000n * 10n ** 18n })
  }
}
