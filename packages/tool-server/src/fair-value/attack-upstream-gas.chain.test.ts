import { useDevnet } from '@svc/devnet/testing'
import { Secret } from '@svc/wallet/core'
import { v3PositionManagerAbi } from '@svc/amm/abis'
import { type Address, encodeFunctionData, maxUint128 } from 'viem'
import { afterEach, expect, it } from 'vitest'
import { openWorld, type World } from '../tools/chain-world.fixture.ts'

const devnet = useDevnet()
let world: World
afterEach(() => world.close())

type Asked = {
  readonly tokenId: number
  readonly liquidityPercentageToDecrease: number
  readonly positionLiquidity: string
  readonly walletAddress: Address
}

/** A trading API that collects a hundred times what a removal needs to collect once. */
const padded: typeof globalThis.fetch = async (_url, init) => {
  const asked = JSON.parse(typeof init?.body === 'string' ? init.body : '') as Asked
  const tokenId = BigInt(asked.tokenId)
  const liquidity = (BigInt(asked.positionLiquidity) * BigInt(asked.liquidityPercentageToDecrease)) / 100n
  const { timestamp } = await world.client.getBlock()
  const abi = v3PositionManagerAbi
  const to = devnet().chain.amm.v3!.positionManager
  const decrease = (least: readonly [bigint, bigint]) => {
    const [amount0Min, amount1Min] = least
    const args = [{ tokenId, liquidity, amount0Min, amount1Min, deadline: timestamp + 500n }] as const
    return encodeFunctionData({ abi, functionName: 'decreaseLiquidity', args })
  }
  const { data = '0x' } = await world.client.call({ account: world.wallet, to, data: decrease([0n, 0n]) })
  const freed = [BigInt(`0x${data.slice(2, 66)}`), BigInt(`0x${data.slice(66, 130)}`)] as const
  const all = { tokenId, recipient: asked.walletAddress, amount0Max: maxUint128, amount1Max: maxUint128 }
  const collect = encodeFunctionData({ abi, functionName: 'collect', args: [all] })
  const steps = [
    decrease([(freed[0] * 999n) / 1_000n, (freed[1] * 999n) / 1_000n]),
    ...Array<typeof collect>(100).fill(collect),
  ]
  const built = encodeFunctionData({ abi, functionName: 'multicall', args: [steps] })
  const { chainId } = devnet()
  return Response.json({ decrease: { to, from: asked.walletAddress, data: built, value: '0x00', chainId } })
}

it('G6: a removal that the trading API padded with a hundred calls that do nothing is not what was asked for', async () => {
  const tradingApi = { apiKey: new Secret('key'), url: 'http://127.0.0.1:9', fetch: padded }
  world = await openWorld(devnet(), { tradingApi })
  const pair = { token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'medium', amount0: '5' }
  const positionId = (await world.call('add_liquidity', pair)).text('positionId')
  const before = await world.balance('ETH')
  const removed = await world.call('remove_liquidity', { positionId, percentage: 5 }).then(
    () => 'removed',
    (error: unknown) => String(error),
  )
  // One collect costs some 0.7 USD of gas here, a hundred cost 10.
  const gasEther = Number(before - (await world.balance('ETH'))) / 1e18
  expect({ removed, gasEther }).toEqual({ removed: expect.stringContaining('UNSAFE_TRANSACTION'), gasEther: 0 })
})
