import { useDevnet } from '@svc/devnet/testing'
import { zeroAddress } from 'viem'
import { expect, test } from 'vitest'
import { createChainActor } from './chain-actor.fixture.ts'
import { createReadsBench } from './reads-bench.fixture.ts'
import { planMigrate } from './plan-migrate.ts'

const devnet = useDevnet()

test('names the least that the old position must pay and the most that the new one may take, each in its own token', async () => {
  const bench = createReadsBench(devnet())
  const owner = await createChainActor(devnet(), devnet().accounts[0]!.address)
  const [weth, usdc] = await Promise.all([bench.token('WETH'), bench.token('USDC')])
  const pools = await bench.reads.findPools(bench.chain, weth, usdc, ['v3'])
  const { token0, token1, fee, tick, tickSpacing } = pools.find((pool) => pool.fee === 500)!
  const middle = Math.floor(tick / tickSpacing!) * tickSpacing!
  const [tickLower, tickUpper] = [middle - 20 * tickSpacing!, middle + 20 * tickSpacing!]
  const id = await owner.mintV3({
    token0: token0.address,
    token1: token1.address,
    fee,
    tickLower,
    tickUpper,
    amount0Desired: 10n ** 9n,
    amount1Desired: 10n ** 18n,
  })
  const position = await bench.reads.position(bench.chain, 'v3', `${id}`)
  const request = { hooks: null, slippageBps: 50, deadline: 2 ** 32, recipient: owner.address }
  const { target, most, least } = await planMigrate(bench, bench.chain, position, request)
  // Of the pool of native currency, whose order is the other; what is named is in tokens of the old pool all the same.
  expect([target.pool.token0.address, target.isInverted]).toEqual([zeroAddress, token1.address === weth.address])
  const tokens = [token0.address, token1.address]
  const held = [position.amount0, position.amount1]
  expect(least.map(({ token }) => token)).toEqual(tokens)
  expect(most.map(({ token }) => token).toSorted()).toEqual(tokens.toSorted())
  for (const [side, token] of tokens.entries()) {
    const share = (amounts: typeof least) =>
      Number(amounts.find((one) => one.token === token)!.amount) / Number(held[side])
    // Within a range as narrow as this one, a price that moves by the slippage takes about a quarter of a side.
    expect(share(least)).toBeGreaterThan(0.5)
    expect(share(least)).toBeLessThan(1)
    expect(share(most)).toBeGreaterThan(0.9)
    expect(share(most)).toBeLessThan(1.5)
  }
})
