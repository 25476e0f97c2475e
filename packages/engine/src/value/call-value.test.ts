import { chains } from '@svc/wallet/core'
import { describe, expect, it } from 'vitest'
import type { Intent, Token } from '@svc/amm'
import { parsePolicy } from '../policy/policy.ts'
import { bandOf } from './bands.fixture.ts'
import { type CallBounds, noBounds } from '../calldata/call-bounds.ts'
import type { Inspected, PositionState } from '../simulation/inspection.ts'
import { costWarnings, gasWarnings, valueOfCall, warningsOf } from './call-value.ts'
import type { PricedTokens } from './spend-value.ts'

const bounds = { maxPriceImpactBps: 300 }
const calm = { priceImpactBps: 0, bounds, speculativeUsdMicros: 0n, coldUsdMicros: 0n }

describe('what a person is told of a call that is not refused', () => {
  it.each([null, -50, 0, 99])('nothing of a price impact of %s bps, of 300 that are allowed', (priceImpactBps) => {
    expect(warningsOf({ ...calm, priceImpactBps })).toEqual([])
  })

  it.each([100, 300])('a price impact of %s bps, of 300 that are allowed', (priceImpactBps) => {
    const reported = expect.stringContaining(`${priceImpactBps} bps worse than the market`)
    expect(warningsOf({ ...calm, priceImpactBps })).toEqual([reported])
  })

  it('what it spends on tokens without a named source, and at a current price alone', () => {
    expect(warningsOf({ ...calm, speculativeUsdMicros: 12_500_000n })).toEqual([expect.stringMatching(/^12.5 USD buy/)])
    expect(warningsOf({ ...calm, coldUsdMicros: 1n })).toEqual([expect.stringContaining('Only the current price')])
  })
})

describe('a removal that no stranger can keep from coming', () => {
  const token0 = '0x0000000000000000000000000000000000000001'
  const token1 = '0x0000000000000000000000000000000000000002'
  const liquidity = { tickLower: -600, tickUpper: 600, liquidityBefore: 10n ** 18n, liquidityAfter: 0n }
  const plain: PositionState = {
    contract: token0,
    id: 1n,
    pool: { id: '0x99', token0, token1 },
    isHooked: false,
    ...liquidity,
  }
  const facts: Facts = { positions: [plain], calls: [noBounds], priced: [token0, token1], deltas: 5n }

  it.each<readonly [string, Partial<Facts>, boolean]>([
    ['asks for no minimums of a plain position, whose tokens have trusted prices', {}, true],
    ['may not: it asks for minimums', { calls: [{ ...noBounds, hasLeast: true }] }, false],
    ['may not: a hook has a say', { positions: [plain, { ...plain, id: 2n, isHooked: true }] }, false],
    ['may not: a token of it may be anything', { priced: [token0] }, false],
    ['may not: another call comes first', { calls: [noBounds, noBounds] }, false],
    ['may not: nothing is given up for what comes', { positions: [{ ...plain, liquidityAfter: 10n ** 18n }] }, false],
    ['may not: something leaves beside it', { deltas: -5n }, false],
  ])('%s', (_name, change, isSure) => {
    const { positions, calls, priced, deltas } = { ...facts, ...change }
    expect(valueOf({ positions, pools: [], orders: [], vaultDeposits: [] }, calls, priced, deltas).isSureHome).toBe(
      isSure,
    )
  })

  function valueOf(inspected: Inspected, callBounds: Facts['calls'], trusted: readonly string[], delta: bigint) {
    const sums = { spends: [], receives: [], approvals: [], recipients: [] }
    const call = { to: token0, data: '0x', valueWei: 0n, label: 'remove' } as const
    const plan = { chainId: 1, calls: [call], atomicity: 'single', riskTier: 'routine' } as const
    const intent: Intent = { ...plan, ...sums, slippageBps: 10_000, deadline: null, why: 'leave' }
    const priced = new Map(
      ([token0, token1] as const).map((address) => {
        const token = { address, symbol: 'T', name: 'T', decimals: 18, isNative: false, listed: true, usdPegged: false }
        const isTrusted = trusted.includes(address)
        const band = isTrusted ? bandOf(10n ** 18n) : null
        const doubt = isTrusted ? null : ('unnamed' as const)
        return [address, { token, usd: 1, usdE18: 10n ** 18n, band, doubt, pair: null }] as const
      }),
    )
    const context = {
      chain: chains[0]!,
      intent,
      callBounds,
      engine: { policy: parsePolicy({}, { production: false }) },
      call: { tool: 'remove_liquidity' },
      steps: callBounds.map(() => ({ kind: 'call' }) as const),
    }
    const deltas = new Map([
      [token0, delta],
      [token1, 5n],
    ])
    return valueOfCall(context, { inspected, deltas, paid: new Map() }, priced)
  }
})

type Facts = {
  readonly positions: readonly PositionState[]
  readonly calls: readonly CallBounds[]
  readonly priced: readonly string[]
  readonly deltas: bigint
}

describe('the cost of a move that is made to earn more', () => {
  const value = { isExit: false, outUsdMicros: 9_000_000_000n, inUsdMicros: 9_000_000_000n }
  const warningsOfMove = (moreUsdPerDay: number, gasCostUsd: number | null) =>
    costWarnings(
      { intent: { earnsBack: { costUsd: 0.3, moreUsdPerDay } }, value, priced: new Map() },
      gasCostUsd,
      new Map(),
    )

  it('is held against what it earns, with the gas', () => {
    expect(warningsOfMove(-5.04, 2.75)).toEqual([
      'Gas and swap cost 3.05 USD: never earned back, for the new range earns 5.04 USD a day less.',
    ])
    expect(warningsOfMove(0, 2.75)).toEqual([
      'Gas and swap cost 3.05 USD: never earned back, for the new range earns no more.',
    ])
    expect(warningsOfMove(0.061, 2.75)).toEqual([
      'Gas and swap cost 3.05 USD: earned back in 50 days by the 0.06 USD a day that it earns more.',
    ])
    expect(warningsOfMove(6, 2.75)).toEqual([
      'Gas and swap cost 3.05 USD: earned back within a day by the 6.00 USD a day that it earns more.',
    ])
  })

  it('is not said where gas has no price; what the intent itself says is said first', () => {
    expect(warningsOfMove(6, null)).toEqual([])
    const intent = { notes: ['Mind the gap.'], earnsBack: { costUsd: 0, moreUsdPerDay: 1 } }
    expect(costWarnings({ intent, value, priced: new Map() }, 3, new Map())).toEqual([
      'Mind the gap.',
      expect.stringMatching(/^Gas and swap cost/),
    ])
  })
})

describe('what a move leaves in the wallet', () => {
  const [one, other, elsewhere] = [`0x${'1'.repeat(40)}`, `0x${'2'.repeat(40)}`, `0x${'3'.repeat(40)}`] as const
  const tokenOf = (address: `0x${string}`): Token => {
    const text = { symbol: 'T', name: 'T', isNative: false, listed: true, usdPegged: false }
    return { ...text, address, decimals: 6 }
  }
  const priced: PricedTokens = new Map(
    [one, other, elsewhere].map((address) => [
      address,
      { token: tokenOf(address), usd: 1, band: null, usdE18: null, doubt: null, pair: null },
    ]),
  )
  const value = { isExit: false, outUsdMicros: 1n, inUsdMicros: 1n }
  const noteOf = (...amounts: readonly (readonly [string, bigint])[]) =>
    costWarnings({ intent: { keepsBack: { tokens: [one, other], ofUsd: 1_000 } }, value, priced }, 1, new Map(amounts))

  it('is said as the wallet has it once it is simulated or mined, whatever the plan had thought', () => {
    const says = /^About 8 % of what the position pays, 80 USD, stays in the wallet: .*increase_liquidity adds/
    expect(noteOf([one, 60_000_000n], [other, 20_000_000n])).toEqual([expect.stringMatching(says)])
    // What is less than before, or of another token, is not what stays.
    expect(noteOf([one, 80_000_000n], [other, -9n], [elsewhere, 5_000_000n])).toEqual([expect.stringMatching(says)])
  })

  it('is not where it is hardly anything', () => {
    expect(noteOf([one, 5_000_000n])).toEqual([])
    expect(noteOf()).toEqual([])
  })
})

describe('the gas of a call that only brings funds home', () => {
  const fees = { isExit: true, outUsdMicros: 0n, inUsdMicros: 210_000n }

  it('is named with what comes where it is more', () => {
    expect(gasWarnings(fees, 1.2)).toEqual(['Gas of 1.20 USD is more than what the call brings, 0.21 USD.'])
    expect(gasWarnings({ ...fees, isExit: false }, 1.2)).toHaveLength(1)
    expect(gasWarnings({ ...fees, inUsdMicros: 1n }, 1.2)).toEqual([
      expect.stringContaining('what the call brings, less than 0.01 USD.'),
    ])
  })

  it('is not where it is less or not known, where nothing comes, or where something is spent for it', () => {
    expect(gasWarnings(fees, 0.2)).toEqual([])
    expect(gasWarnings(fees, null)).toEqual([])
    expect(gasWarnings({ ...fees, inUsdMicros: 0n }, 1.2)).toEqual([])
    expect(gasWarnings({ ...fees, isExit: false, outUsdMicros: 1n }, 1.2)).toEqual([])
  })
})
