import { useDevnet } from '@svc/devnet/testing'
import { type Address, encodeFunctionData, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { erc20Abi, v2RouterAbi } from '@svc/amm/abis'
import { createChainActor } from '../../../amm/src/liquidity/chain-actor.fixture.ts'
import { v2PairAddress } from '@svc/amm/liquidity'
import type { Intent } from '@svc/amm'
import { expectRefused } from '../fixtures/expect-refused.fixture.ts'
import { planAdd } from '../../../tool-server/src/fair-value/deposit-plans.fixture.ts'
import { approvalOf, laterDeadline, swapIntent } from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { used } from '../fixtures/pipeline-facts.fixture.ts'
import { createNativePrices, type PricedTokens, priceTokens } from './spend-value.ts'
import { usePipelines } from '../fixtures/use-pipelines.fixture.ts'

const devnet = useDevnet()
const { open } = usePipelines(devnet)

describe('G7: shares of a v2 pair', () => {
  it('are worth their part of the pair when they are sold, whoever names which tokens', async () => {
    for (const mode of ['lenient', 'strict'] as const) {
      const limitsUsd = { perTransaction: '500', perSession: '1000', daily: '2000' }
      // The sale gives nearly all of it away: what it counts as is held here, not what it loses.
      const valueRules = { tools: { execute_swap: { maxLossBps: 10_000, maxPriceImpactBps: 10_000 } } }
      const pipeline = await open({
        policy: { allowlist: { mode }, limitsUsd, approvalThresholdUsd: null, valueRules },
      })
      const held = await holdShares(pipeline)
      const sale = encodeFunctionData({
        abi: v2RouterAbi,
        functionName: 'swapExactTokensForTokensSupportingFeeOnTransferTokens',
        args: [held.shares, 0n, [held.pair, pipeline.token('USDC')], pipeline.wallet, laterDeadline(0)],
      })
      // A strict list knows a pair by its two tokens: an intent that names them brings its shares past it.
      const receives = (mode === 'strict' ? held.tokens : [pipeline.token('USDC')]).map((token) => ({
        token,
        amount: 0n,
      }))
      await expectRefused(pipeline, { ...intentOf(pipeline, held, sale), receives }, 'SPENDING_LIMIT_EXCEEDED')
    }
  })

  it('count as nothing when they are given back for both tokens, so that a share can always be left', async () => {
    const limitsUsd = { perTransaction: '5', perSession: '5', daily: '5' }
    const pipeline = await open({
      policy: { allowlist: { mode: 'strict' }, limitsUsd, maxDailyGasUsd: '50', approvalThresholdUsd: null },
    })
    const held = await holdShares(pipeline)
    const before = await pipeline.balance('USDC')
    const [token0, token1] = held.tokens
    const removal = encodeFunctionData({
      abi: v2RouterAbi,
      functionName: 'removeLiquidity',
      args: [token0, token1, held.shares, 0n, 0n, pipeline.wallet, laterDeadline(0)],
    })
    await pipeline.run({
      ...intentOf(pipeline, held, removal),
      receives: held.tokens.map((token) => ({ token, amount: 1n })),
    })
    expect(await pipeline.balance('USDC')).toBeGreaterThan(before + parseUnits('5000', 6))
    expect(await used(pipeline)).toBe(0n)
  })

  it('that hold shares of other pairs are read three pairs deep, by what lies in them, and those have no worth of their own', async () => {
    const pipeline = await open()
    const { chain, rpc } = pipeline
    const usdc = pipeline.token('USDC')
    const { pair: first, tokens } = await holdShares(pipeline)
    const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
    await devnet().fund(actor.address, { USDC: '20000' })
    const stack = [first]
    for (let level = 0; level < 3; level += 1) {
      const inner = stack[0]!
      const held = await actor.balanceOf(inner)
      // Of the first the actor has put all it had left into a pair already.
      if (held > 0n) await actor.addV2(inner, usdc, held / 2n, 2_000_000n)
      stack.unshift(v2PairAddress(chain.amm.v2!, ...sorted(inner, usdc)))
    }
    const [fourth, third, second] = stack as [Address, Address, Address]
    const prices = { usd: async () => null, ratio: async () => null, doubt: async () => 'unnamed' as const }
    const context = {
      directory: pipeline.tokens,
      prices,
      rpc,
      chain,
      nativePrices: createNativePrices(),
      now: Date.now,
    }
    const sidesIn = (table: PricedTokens, share: Address) =>
      table
        .get(share.toLowerCase())
        ?.pair?.sides.map(({ token }) => token.toLowerCase())
        .sort()
    const lowered = (...addresses: readonly Address[]) => addresses.map((one) => one.toLowerCase()).sort()
    const ofThird = await priceTokens([third], context)
    expect([third, second, first].map((share) => sidesIn(ofThird, share))).toEqual([
      lowered(second, usdc),
      lowered(first, usdc),
      lowered(...tokens),
    ])
    expect(ofThird.get(first.toLowerCase())).toMatchObject({ usdE18: null, doubt: 'unnamed' })
    const ofFourth = await priceTokens([fourth], context)
    expect([second, first].map((share) => sidesIn(ofFourth, share))).toEqual([lowered(first, usdc), undefined])
  })

  it('that a deposit makes count once', async () => {
    const limitsUsd = { perTransaction: '7000', perSession: '7000', daily: '7000' }
    const pipeline = await open({ policy: { limitsUsd, maxDailyGasUsd: '50', approvalThresholdUsd: null } })
    await pipeline.run(await planAdd(pipeline, { version: 'v2', pair: ['WETH', 'USDC'], amount0: '1' }))
    expect(Number(await used(pipeline)) / 1e6).toBeCloseTo(6_000, -3)
  })
})

/** About 12,000 dollars of shares for the wallet, and a pair in which a stranger would buy shares for next to nothing. */
async function holdShares(pipeline: Pipeline): Promise<Held> {
  const [usdc, weth] = [pipeline.token('USDC'), pipeline.token('WETH')]
  const tokens = sorted(usdc, weth)
  const pair = v2PairAddress(pipeline.chain.amm.v2!, ...tokens)
  const actor = await createChainActor(devnet(), devnet().accounts[0]!.address)
  await devnet().fund(actor.address, { USDC: '20000', WETH: '10' })
  await actor.addV2(usdc, weth, parseUnits('12000', 6), parseUnits('4', 18))
  const minted = await actor.balanceOf(pair)
  const shares = (minted * 9n) / 10n
  await actor.write(pair, erc20Abi, 'transfer', [pipeline.wallet, shares])
  await actor.addV2(pair, usdc, minted - shares, 2_000_000n)
  return { pair, tokens, shares }
}

function sorted(...pair: readonly [Address, Address]): readonly [Address, Address] {
  const [one, other] = pair
  return one.toLowerCase() < other.toLowerCase() ? pair : [other, one]
}

type Held = { readonly pair: Address; readonly tokens: readonly [Address, Address]; readonly shares: bigint }

function intentOf(pipeline: Pipeline, { pair, shares }: Held, data: `0x${string}`): Intent {
  const { router } = pipeline.chain.amm.v2!
  return {
    ...swapIntent(pipeline, '1'),
    calls: [{ to: router, data, valueWei: 0n, label: 'give shares' }],
    spends: [{ token: pair, amount: shares }],
    approvals: [approvalOf(pair, router, shares)],
  }
}
