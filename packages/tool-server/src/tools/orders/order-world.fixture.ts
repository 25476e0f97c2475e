import type { Devnet } from '@svc/devnet'
import type { PoolKey } from '@svc/amm/liquidity'
import { formatUnits } from 'viem'
import { type ChainActor, createChainActor } from '../../../../amm/src/liquidity/chain-actor.fixture.ts'
import type { Answer } from '../answer.fixture.ts'
import type { World } from '../chain-world.fixture.ts'

/** An order of a tool's answer, as the other tools take it. */
export function idOf(answer: Answer): { readonly orderId: string; readonly pool: string } {
  return { orderId: answer.text('orderId'), pool: answer.text('pool') }
}

/** What the wallet holds of both tokens of an order, as decimal text. */
export async function holdings(world: World, ...symbols: readonly string[]): Promise<readonly number[]> {
  const amounts = await Promise.all(symbols.map((symbol) => world.balance(symbol)))
  return amounts.map((amount, index) => Number(formatUnits(amount, symbols[index] === 'USDC' ? 6 : 18)))
}

export async function headTime({ client }: Pick<World, 'client'>): Promise<number> {
  return Number((await client.getBlock()).timestamp)
}

/** Lets the chain's time go by, and the market with it: the feeds answer, and arbitrage brings the pools back. */
export async function pass(devnet: Devnet, timestamp: number): Promise<void> {
  await devnet.mineTo(timestamp)
  await devnet.market.move({})
}

/** Ten minutes past an hour, so that no end of orders passes while a test runs. */
export async function earlyInAnHour(devnet: Devnet, world: Pick<World, 'client'>): Promise<void> {
  await pass(devnet, (Math.floor((await headTime(world)) / 3_600) + 1) * 3_600 + 600)
}

/** The key of the hooked pool, under another fee where one is named. */
export function hookedKey({ twamm }: Devnet, fee: number = twamm.pool.fee): PoolKey {
  const { token0: currency0, token1: currency1 } = twamm.pool
  return { currency0, currency1, fee, tickSpacing: twamm.pool.tickSpacing ?? 60, hooks: twamm.hook }
}

/** Somebody with much of both tokens. */
export async function stranger(devnet: Devnet): Promise<ChainActor> {
  const { address } = devnet.accounts[7]!
  await devnet.fund(address, { WETH: '5000', USDC: '15000000' })
  return createChainActor(devnet, address)
}
