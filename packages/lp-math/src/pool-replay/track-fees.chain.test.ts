import { useDevnet } from '@svc/devnet/testing'
import { type Address, erc20Abi, parseAbi, parseEventLogs } from 'viem'
import { beforeAll, expect, test } from 'vitest'
import { v3PoolAbi, v3PositionManagerAbi } from '../amm-abis.fixture.ts'
import { ammContracts, noDeadline } from '../amm-contracts.fixture.ts'
import { nearestUsableTick } from '../ticks/ticks.ts'
import { applyPoolEvent } from './apply-pool-event.ts'
import { applyV4PoolEvent } from './apply-v4-pool-event.ts'
import type { PoolEvent } from './pool-event.ts'
import { createPoolState } from './pool-state.ts'
import { type FeeTracker, trackFees } from './track-fees.ts'
import {
  type Chain,
  collectV4,
  emptyPool,
  mintV4,
  type Pool,
  v4Events,
  v4PositionManagerAbi,
} from './v4-contracts.fixture.ts'

const devnet = useDevnet()

let chain: Chain
beforeAll(() => void (chain = ammContracts(devnet())))

const most = 2n ** 128n - 1n
const permit2 = '0x000000000022D473030F116dDEE9F6B43aC78BA3'
const permit2Abi = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)'])

test('a position minted in a v3 pool collects after traffic what its events say, to the wei', async () => {
  const { client, account, mined } = chain
  const pool = chain.find('v3', 'WETH/USDC 0.05 %')
  const { token0, token1, fee } = pool
  const manager = { account, address: chain.addresses.v3.positionManager, abi: v3PositionManagerAbi } as const
  await chain.approve([token0, token1], manager.address)
  const range = await rangeAround(pool, 400)
  const amount = (token: Address) => 10n ** BigInt(chain.decimalsOf(token) - 1)
  const wanted = { amount0Desired: amount(token0), amount1Desired: amount(token1), amount0Min: 0n, amount1Min: 0n }
  const order = { token0, token1, fee, ...range, ...wanted, recipient: account, deadline: noDeadline }
  const mint = { ...manager, functionName: 'mint', args: [order] } as const
  const { result } = await client.simulateContract(mint)
  const [tokenId, liquidity] = result
  const { blockNumber: minted } = await mined(client.writeContract(mint))
  await devnet().trade(60, 'collect by replay', [pool.id])

  const tracker = trackFees({ ...range, liquidity, isInPool: true })
  const state = createPoolState({ feePips: fee, tickSpacing: pool.tickSpacing! })
  for (const event of await v3Events(pool)) {
    applyPoolEvent(state, event, event.timestamp > Number(minted) ? tracker.pay : undefined)
  }
  const { result: collected } = await client.simulateContract({
    ...manager,
    functionName: 'collect',
    args: [{ tokenId, recipient: account, amount0Max: most, amount1Max: most }],
  })
  expectPaid(collected, tracker)
})

test('and one minted in a v4 pool', async () => {
  const { client, account, mined } = chain
  const pool = chain.find('v4', 'ETH/USDC 0.05 %')
  const manager = { account, address: chain.addresses.v4.positionManager, abi: v4PositionManagerAbi } as const
  await chain.approve([pool.token1], permit2)
  const permit = [pool.token1, manager.address, 2n ** 159n, 2 ** 40] as const
  await mined(client.writeContract({ address: permit2, abi: permit2Abi, functionName: 'approve', args: permit }))
  const range = await rangeAround(pool, 400)
  const liquidity = 10n ** 14n
  const tokenId = await client.readContract({ ...manager, functionName: 'nextTokenId' })
  const data = mintV4(pool, range, liquidity, account)
  const mint = { ...manager, functionName: 'modifyLiquidities', args: [data, noDeadline], value: 10n ** 18n } as const
  const { status, blockNumber: minted } = await mined(client.writeContract(mint))
  expect(status).toBe('success')
  await devnet().trade(60, 'collect by replay', [pool.id])

  const tracker = trackFees({ ...range, liquidity, isInPool: true })
  const state = emptyPool(pool)
  for (const event of await v4Events(chain, pool)) {
    applyV4PoolEvent(state, event, event.timestamp > Number(minted) ? tracker.pay : undefined)
  }
  const nobody = '0x00000000000000000000000000000000000000b4'
  const collect = {
    ...manager,
    functionName: 'modifyLiquidities',
    args: [collectV4(pool, tokenId, nobody), noDeadline],
  } as const
  expect((await mined(client.writeContract(collect))).status).toBe('success')
  const balance = { address: pool.token1, abi: erc20Abi, functionName: 'balanceOf', args: [nobody] } as const
  expectPaid([await client.getBalance({ address: nobody }), await client.readContract(balance)], tracker)
})

async function rangeAround(pool: Pool, ticks: number) {
  const { tick } = await (pool.version === 'v4' ? chain.v4 : chain.v3).state(pool)
  const usable = (away: number) => nearestUsableTick(tick + away, pool.tickSpacing!)
  return { tickLower: usable(-ticks), tickUpper: usable(ticks) }
}

/** All events of a v3 pool so far; the number of a block stands for its time. */
async function v3Events({ id: address }: Pool): Promise<PoolEvent[]> {
  const logs = await chain.client.getLogs({ address, fromBlock: 0n })
  return parseEventLogs({ abi: v3PoolAbi, logs }).map((log) =>
    Object.assign(log, { timestamp: Number(log.blockNumber) }),
  )
}

function expectPaid(collected: readonly [bigint, bigint], tracker: FeeTracker): void {
  const { amount0, amount1 } = tracker.fees()
  expect(collected[0]).toBeGreaterThan(0n)
  expect(collected[1]).toBeGreaterThan(0n)
  expect([amount0, amount1]).toEqual(collected)
}
