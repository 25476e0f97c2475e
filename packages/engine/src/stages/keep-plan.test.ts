import { describe, expect, it } from 'vitest'
import { type Chain, chains, findChain } from '@svc/wallet/core'
import { type Intent, type IntentDeposit, storeIntent } from '@svc/amm'
import { mintDeposit } from '../fixtures/deposit.fixture.ts'
import { depositDrift, intentDrift, keepPlan, simulatedDrift } from './keep-plan.ts'

const [token, other, router, wallet] = ['1', '2', '3', '4'].map((digit) => `0x${digit.repeat(40)}` as const) as [
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
  `0x${string}`,
]

const planned: Intent = {
  chainId: 1,
  calls: [{ to: router, data: '0x11223344aa', valueWei: 5n, label: 'swap' }],
  atomicity: 'single',
  spends: [{ token, amount: 100n }],
  receives: [{ token: other, amount: 7n }],
  approvals: [{ token, spender: router, amount: 100n, via: 'erc20', revokeAfter: true }],
  riskTier: 'routine',
  slippageBps: 50,
  deadline: 1_000,
  recipients: [wallet],
  why: 'swap',
}
const [call, approval] = [planned.calls[0]!, planned.approvals[0]!]

describe('a plan with parts that follow', () => {
  const collect: Intent = {
    ...planned,
    calls: [{ ...planned.calls[0]!, data: '0xac9650d8' }],
    spends: [],
    approvals: [],
  }
  const whole: Intent = { ...collect, follows: [planned] }
  const keep = (intent: Intent, before: readonly Intent[] = []) => {
    const carriesOut = { id: 'o', intent: storeIntent(whole) }
    const call = { carriesOut } as Parameters<typeof keepPlan>[0]['call']
    keepPlan({ call, intent, chain: chains[0]!, before })
  }

  it('is carried out part by part, each within its own', () => {
    expect(() => keep(collect)).not.toThrow()
    expect(() => keep(planned, [collect])).not.toThrow()
    expect(() => keep({ ...planned, spends: [{ token, amount: 101n }] }, [collect])).toThrow(/not what was planned/)
    expect(() => keep({ ...planned, spends: [{ token: other, amount: 1n }] }, [collect])).toThrow(
      /not what was planned/,
    )
  })

  it('is spent from a single time, however often what only brings home is made', () => {
    expect(() => keep(collect, [collect])).not.toThrow()
    expect(() => keep(planned, [collect, planned])).toThrow(/not what was planned/)
  })
})

describe('what of an intent goes beyond its plan', () => {
  it('is nothing where amounts are the same or less, and calldata, deadline and sentence are others', () => {
    expect(intentDrift(planned, planned)).toEqual([])
    const less: Intent = {
      ...planned,
      calls: [{ ...call, data: '0x11223344bb', valueWei: 4n }],
      spends: [{ token, amount: 99n }],
      approvals: [{ ...approval, amount: 99n }],
      deadline: 2_000,
      why: 'swap later',
    }
    expect(intentDrift(planned, less)).toEqual([])
  })

  it('is another word of a call that is carried out to the letter', () => {
    const exact: Intent = { ...planned, calls: [{ ...call, exact: true }] }
    expect(intentDrift(exact, exact)).toEqual([])
    const other: Intent = { ...exact, calls: [{ ...call, exact: true, data: '0x11223344bb' }] }
    expect(intentDrift(exact, other)).toHaveLength(1)
    expect(intentDrift(exact, planned)).toHaveLength(1)
  })

  it.each<readonly [string, Partial<Intent>]>([
    ['another chain', { chainId: 10 }],
    ['another contract', { calls: [{ ...call, to: other }] }],
    ['another function', { calls: [{ ...call, data: '0x11223345aa' }] }],
    ['one call more', { calls: [call, call] }],
    ['one call less', { calls: [] }],
    ['more value', { calls: [{ ...call, valueWei: 6n }] }],
    ['another recipient', { recipients: [other] }],
    ['a further recipient', { recipients: [wallet, other] }],
    ['more of a token', { spends: [{ token, amount: 101n }] }],
    ['more of a token in parts', { spends: [planned.spends[0]!, { token, amount: 1n }] }],
    ['another token', { spends: [{ token: other, amount: 1n }] }],
    ['a larger allowance', { approvals: [{ ...approval, amount: 101n }] }],
    ['another spender', { approvals: [{ ...approval, spender: other }] }],
    ['an allowance through Permit2', { approvals: [{ ...approval, via: 'permit2' }] }],
    ['an allowance that stays', { approvals: [{ ...approval, revokeAfter: false }] }],
    ['another risk tier', { riskTier: 'critical' }],
    ['another atomicity', { atomicity: 'sequential' }],
    ['more slippage', { slippageBps: 51 }],
    ['slippage without a bound', { slippageBps: null }],
    ['a pool without a trusted price', { allowsUnpricedPool: true }],
  ])('is %s', (_, change) => {
    expect(intentDrift(planned, { ...planned, ...change })).not.toEqual([])
  })
})

const chain: Chain = findChain(chains, 'base')!
const deposits = (change: Partial<IntentDeposit> = {}): Intent => ({
  ...planned,
  deposits: [{ ...mintDeposit, ...change }],
})
/** The sqrt price at which the price is that many basis points off. */
const priceAt = (bps: number): bigint => {
  const factor = BigInt(Math.round(Math.sqrt(1 + bps / 10_000) * 1e12))
  return (mintDeposit.sqrtPriceX96 * factor) / 10n ** 12n
}

describe('what of a deposit is not what a plan binds', () => {
  it('is nothing where price and liquidity stay within it, amounts and words aside', () => {
    expect(depositDrift(planned, planned, chain)).toEqual([])
    const { minLiquidity: liquidity } = mintDeposit
    const same: Partial<IntentDeposit> = { amount0: 1n, liquidity, minLiquidity: 1n, isInverted: true }
    expect(depositDrift(deposits(), deposits(same), chain)).toEqual([])
    for (const bps of [-49.9, 49.9]) {
      expect(depositDrift(deposits(), deposits({ sqrtPriceX96: priceAt(bps) }), chain)).toEqual([])
    }
  })

  it.each<readonly [string, Partial<IntentDeposit>, string]>([
    ['kind', { kind: 'increase' }, 'kind'],
    ['version', { version: 'v4' }, 'version'],
    ['pool', { pool: other }, 'pool'],
    ['first token', { token0: other }, 'token0'],
    ['second token', { token1: router }, 'token1'],
    ['fee', { fee: 3000 }, 'fee'],
    ['tick spacing', { tickSpacing: 60 }, 'tickSpacing'],
    ['hook', { hooks: other }, 'hooks'],
    ['position', { positionId: '7' }, 'positionId'],
    ['recipient', { recipient: other }, 'recipient'],
    ['creation', { createsPool: true }, 'createsPool'],
    ['lower tick', { tickLower: -197_320 }, 'ticks'],
    ['upper tick', { tickUpper: 0 }, 'ticks'],
  ])('is another %s', (_, change, what) => {
    expect(depositDrift(deposits(), deposits(change), chain)).toMatchObject([
      { message: `Differs: ${what} of a deposit.`, planned: expect.any(String), now: expect.any(String) },
    ])
  })

  it('is a price beyond the slippage of the plan, told with ticks, and less liquidity than its least', () => {
    for (const bps of [-51, 51]) {
      expect(depositDrift(deposits(), deposits({ sqrtPriceX96: priceAt(bps) }), chain)).toMatchObject([
        { pool: mintDeposit.pool, plannedTick: -196_257, nowTick: expect.any(Number), slippageBps: 50 },
      ])
    }
    expect(depositDrift(deposits(), deposits({ liquidity: mintDeposit.minLiquidity - 1n }), chain)).toMatchObject([
      { message: 'Below the plan: liquidity.' },
    ])
  })

  it('is told in whole tokens of the chain, in the order in which the caller names them', () => {
    const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => chain.tokens.find((one) => one.symbol === symbol)!.address)
    const pair = { token0: weth!, token1: usdc! }
    const now = { ...pair, sqrtPriceX96: priceAt(1_000) }
    expect(depositDrift(deposits(pair), deposits(now), chain)).toMatchObject([{ planned: '3000', now: '3300' }])
    const inverted = { ...pair, isInverted: true }
    expect(depositDrift(deposits(inverted), deposits(now), chain)).toMatchObject([
      { planned: '0.000333333', now: '0.00030303' },
    ])
  })

  it('is a deposit more or less, and any where the plan was stored by a version that named none', () => {
    expect(depositDrift(deposits(), planned, chain)).toHaveLength(1)
    expect(depositDrift(planned, deposits(), chain)).toMatchObject([{ planned: '0', now: '1' }])
  })

  it('is what the chain shows, whatever the new intent says of it', () => {
    const intent = deposits()
    const shown = { declared: intent.deposits![0]!, priceAfter: null, position: null }
    const honest = { ...shown, priceBefore: priceAt(49), liquidity: mintDeposit.minLiquidity }
    const drift = (change: Partial<typeof honest>) =>
      simulatedDrift(deposits(), intent, { deposits: [{ ...honest, ...change }] }, chain)
    expect(drift({})).toEqual([])
    expect(drift({ priceBefore: priceAt(51) })).toHaveLength(1)
    expect(drift({ liquidity: 1n })).toHaveLength(1)
    const undeclared = { ...honest, declared: mintDeposit }
    expect(simulatedDrift(deposits(), intent, { deposits: [undeclared] }, chain)).toHaveLength(1)
  })
})
