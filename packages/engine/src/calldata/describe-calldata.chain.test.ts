import { useDevnet } from '@svc/devnet/testing'
import { parseAmount } from '@svc/lp-math'
import { zeroAddress } from 'viem'
import { expect, it } from 'vitest'
import { openMarket } from '../../../amm/src/liquidity/planning/bench-market.fixture.ts'
import { describeCalldata, type DescribedCall } from './describe-calldata.ts'

const devnet = useDevnet()
const key = { fee: '500', tickSpacing: '10', hooks: `${zeroAddress}, none` }
const whole = /^[1-9]\d*$/

it('shows what adding to, growing and leaving a v4 position calls', async () => {
  const market = await openMarket(devnet())
  const { bench, eth, usdc } = market
  const shown = async (planned: { intent: { calls: readonly Parameters<typeof describeCalldata>[1][] } }) =>
    planned.intent.calls.flatMap((call) => describeCalldata(bench.chain, call).calls)
  const pair = { currency0: `${zeroAddress}, the native currency`, currency1: usdc.address }
  const add = await shown(
    await bench.liquidity.planAdd(bench.chain, {
      version: 'v4',
      token0: eth,
      token1: usdc,
      fee: 500,
      hooks: null,
      range: { pctEachSide: 15 },
      amount0: parseAmount('1', 18),
      amount1: null,
      slippageBps: 50,
      deadline: bench.deadline,
      recipient: bench.address,
    }),
  )
  expect(add.map(names)).toEqual(['mint position', 'settle pair', 'sweep'])
  expect(add[0]).toMatchObject({
    arguments: { ...pair, ...key, liquidity: expect.stringMatching(whole), recipient: bench.address },
    tokens: { amount0Max: zeroAddress, amount1Max: usdc.address },
  })
  expect(add[1]?.arguments).toEqual(pair)
  expect(add[2]?.arguments['recipient']).toMatch(/0001, which stands for the caller$/)

  const position = await market.open('v4', eth)
  const { positionId: tokenId } = position
  const grow = await shown(await market.increase(position, parseAmount('1', 18), null, { payNative: true }))
  expect(grow[0]).toMatchObject({ function: 'increase liquidity', arguments: { tokenId } })
  const leave = await shown(await market.remove(position))
  expect(leave.map(names)).toEqual(['decrease liquidity', 'take pair'])
  expect(leave[0]?.arguments).toMatchObject({ tokenId, liquidity: `${position.liquidity}` })
  expect(leave[0]?.arguments['amount0Min']).toMatch(whole)
  expect(leave[1]?.arguments).toEqual({ ...pair, recipient: bench.address })
  const fees = await shown(await market.collect(position))
  expect(fees[0]).toMatchObject({ function: 'decrease liquidity', arguments: { liquidity: '0, fees alone' } })
})

function names(call: DescribedCall): string {
  return call.function
}
