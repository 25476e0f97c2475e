import { useDevnet } from '@svc/devnet/testing'
import { concat, encodeAbiParameters, encodeFunctionData, parseAbiParameters, parseUnits } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { calls, keepsNineTenths, turnToken } from '../../../../engine/src/simulation/hostile-token.fixture.ts'
import type { Token } from '../../ports.ts'
import { benchPool, benchToken } from '../planning/bench-pools.fixture.ts'
import { type Bench, createBench } from '../planning/bench.fixture.ts'
import { planPayment } from '../planning/plan-payment.ts'
import { universalRouterAbi } from '../v4/plan-swap.ts'

const devnet = useDevnet()
let bench: Bench
let turning: Token
let other: Token

beforeEach(async () => {
  bench = await createBench(devnet())
  turning = await bench.token('DAI')
  await devnet().fund(bench.address, { DAI: '200000' })
  other = await benchToken(bench, 'OTHER')
  await benchPool(bench, 'v2', [turning, '50000'], [other, '50000'])
})

/** From now on nine tenths of what is moved by a call are kept. */
async function beginToKeep(signature: string, amountAt: number) {
  const token = (symbol: string) => devnet().tokens.find((row) => row.symbol === symbol)!.address
  const turn = { symbol: 'DAI', condition: calls(signature), evil: keepsNineTenths(amountAt) }
  await turnToken({ devnet: devnet(), token }, turn)
}

const amountOut = parseUnits('100', 18)

describe('an exact output along one pair, of a token that begins to keep a part of its transfers after the quote', () => {
  it('is refused by the pair where the wallet sells it, and takes nothing', async () => {
    const quote = await bench.liquidity.quote(bench.chain, {
      tokenIn: turning,
      tokenOut: other,
      amountOut,
      versions: ['v2'],
    })
    const common = { slippageBps: 50, deadline: bench.deadline, recipient: bench.address }
    const { intent } = await bench.liquidity.planSwap(bench.chain, quote, {
      tokenIn: turning,
      tokenOut: other,
      ...common,
    })
    await bench.approve(intent)
    await beginToKeep('transferFrom(address,address,uint256)', 0x44)
    const { changes } = await bench.changes([turning, other], async () => {
      await expect(bench.run({ ...intent, approvals: [] })).rejects.toThrow(/revert|UniswapV2: K/i)
    })
    expect(changes).toEqual([0n, 0n])
  })

  it('brings less through the universal router without a word, but not with a payout behind it', async () => {
    const { address: router } = bench.chain.amm.universalRouter!
    const most = parseUnits('110', 18)
    await bench.approve(planPayment([{ token: turning, amount: most }], router, 'permit2'))
    await beginToKeep('transferFrom(address,address,uint256)', 0x44)
    const form = parseAbiParameters('address, uint256, uint256, address[], bool')
    const swap = (recipient: Token['address']) =>
      encodeAbiParameters(form, [recipient, amountOut, most, [turning.address, other.address], true])
    const execute = (commands: `0x${string}`, inputs: readonly `0x${string}`[]) =>
      encodeFunctionData({
        abi: universalRouterAbi,
        functionName: 'execute',
        args: [commands, inputs, BigInt(bench.deadline)],
      })
    const itself = '0x0000000000000000000000000000000000000002'
    const payout = encodeAbiParameters(parseAbiParameters('address, address, uint256'), [
      other.address,
      bench.address,
      amountOut,
    ])
    const held = execute(concat(['0x09', '0x04']), [swap(itself), payout])
    await expect(bench.send({ to: router, data: held })).rejects.toThrow(/revert/i)
    const { changes } = await bench.changes([other], () =>
      bench.send({ to: router, data: execute('0x09', [swap(bench.address)]) }),
    )
    expect(changes[0]! > 0n && changes[0]! < amountOut / 5n).toBe(true)
  })
})
