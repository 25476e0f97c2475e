import { chains } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Intent } from '@svc/amm'
import { rewardDistributorAbi } from '@svc/amm/abis'
import { knownContracts } from '../calldata/known-contracts.ts'
import { parsePolicy } from '../policy/policy.ts'
import { policyVerdict } from './policy-verdict.ts'
import { suspectWarnings } from './call-tokens.ts'
import { mintDeposit } from '../fixtures/deposit.fixture.ts'
import type { PricedToken, PricedTokens } from '../value/spend-value.ts'

describe('the functions of a listed contract', () => {
  const chain = chains.find(({ id }) => id === 8453)!
  const vault = '0x00000000000000000000000000000000000000AA'
  const deposit = '0x6e553f65'
  const refusalsOf = (data: Hex, contracts: readonly unknown[]) => {
    const policy = parsePolicy({ contracts: { [chain.id]: contracts } }, { production: false })
    const wallet = '0x00000000000000000000000000000000000000BB'
    const intent: Intent = {
      chainId: chain.id,
      calls: [{ to: vault, data, valueWei: 0n, label: 'deposit' }],
      atomicity: 'single',
      spends: [],
      receives: [],
      approvals: [],
      riskTier: 'routine',
      slippageBps: null,
      deadline: null,
      recipients: [],
      why: 'test',
    }
    const context = { chain, policy, known: knownContracts(chain, policy), wallet, nowSeconds: 0 } as const
    return policyVerdict(intent, context).refusals.map(({ code }) => code)
  }

  it('may all be called when none is named', () => {
    expect(refusalsOf('0x12345678', [vault])).toEqual([])
    expect(refusalsOf('0x', [vault])).toEqual([])
  })

  it('may be called when they are named, and no others', () => {
    const listed = [{ address: vault, selectors: [deposit] }]
    expect(refusalsOf(`${deposit}00`, listed)).toEqual([])
    expect(refusalsOf('0x6E553F65', listed)).toEqual([])
    for (const data of ['0x12345678', '0x', '0x6e553f'] as const) {
      expect(refusalsOf(data, listed)).toEqual(['CONTRACT_NOT_ALLOWED'])
    }
  })

  it('stay limited when the address is listed a second time without functions', () => {
    expect(refusalsOf('0x12345678', [{ address: vault, selectors: [deposit] }, vault])).toEqual([
      'CONTRACT_NOT_ALLOWED',
    ])
  })

  it('that move tokens are refused even when named', () => {
    expect(refusalsOf('0xa9059cbb', [{ address: vault, selectors: ['0xa9059cbb'] }])).toEqual(['CONTRACT_NOT_ALLOWED'])
  })

  it('of a contract nobody listed are refused', () => {
    expect(refusalsOf(deposit, [])).toEqual(['CONTRACT_NOT_ALLOWED'])
  })
})

describe('a claim of rewards', () => {
  const chain = chains.find(({ id }) => id === 8453)!
  const wallet = '0x00000000000000000000000000000000000000bb'
  const refusalsOf = (users: readonly Address[]) => {
    const policy = parsePolicy({}, { production: false })
    const [token] = chain.tokens
    const args = [users, users.map(() => token!.address), users.map(() => 5n), users.map(() => [])] as const
    const data = encodeFunctionData({ abi: rewardDistributorAbi, functionName: 'claim', args })
    const intent: Intent = {
      chainId: chain.id,
      calls: [{ to: chain.rewardDistributor!, data, valueWei: 0n, label: 'claim' }],
      atomicity: 'single',
      spends: [],
      receives: [],
      approvals: [],
      riskTier: 'routine',
      slippageBps: null,
      deadline: null,
      recipients: [wallet],
      why: 'test',
    }
    const context = { chain, policy, known: knownContracts(chain, policy), wallet, nowSeconds: 0 } as const
    return policyVerdict(intent, context).refusals.map(({ code }) => code)
  }

  it('may be made for the wallet', () => expect(refusalsOf([wallet])).toEqual([]))

  it('may not be made for anybody else, beside the wallet or alone', () => {
    const stranger = '0x00000000000000000000000000000000000000cc'
    expect(refusalsOf([stranger])).toEqual(['RECIPIENT_NOT_ALLOWED'])
    expect(refusalsOf([wallet, stranger])).toEqual(['RECIPIENT_NOT_ALLOWED'])
  })
})

describe('a token whose own text is made to mislead', () => {
  const chain = chains.find(({ id }) => id === 8453)!
  const evil = '0x00000000000000000000000000000000000000ee'
  const pair = '0x00000000000000000000000000000000000000e2'
  const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address.toLowerCase()
  const token = { symbol: 'USDC', name: 'USD Coin', decimals: 18, isNative: false, listed: false, usdPegged: false }
  const unpriced = { usd: null, band: null, usdE18: null, doubt: 'unnamed' } as const
  const sides = [evil, usdc].map((one) => ({ token: one as Address, reserve: 1n }))
  const share = { sides, burnSupply: 1n, router: pair, wrappedNative: pair } as const
  const [ofShares, ofThose, tooDeep] = ['e3', 'e4', 'e5'].map((end) => `0x${end.padStart(40, '0')}`) as [
    string,
    string,
    string,
  ]
  const around = (inner: string): PricedToken => ({
    token: { ...token, address: pair, symbol: 'UNI-V2', name: 'Uniswap V2' },
    ...unpriced,
    pair: { ...share, sides: [inner, usdc].map((one) => ({ token: one as Address, reserve: 1n })) },
  })
  const priced: PricedTokens = new Map([
    [ofShares, around(pair)],
    [ofThose, around(ofShares)],
    [tooDeep, around(ofThose)],
    [evil, { token: { ...token, address: evil }, ...unpriced, pair: null }],
    [pair, { token: { ...token, address: pair, symbol: 'UNI-V2', name: 'Uniswap V2' }, ...unpriced, pair: share }],
  ])
  const swap = (tokenIn: string, tokenOut: string) => ({ trades: [{ tokenIn, tokenOut, pools: [] }], orders: [] })
  const held = {
    contract: pair,
    id: 1n,
    isHooked: false,
    tickLower: 0,
    tickUpper: 1,
    liquidityBefore: 2n,
    liquidityAfter: 1n,
    pool: { id: '0x01', token0: evil, token1: usdc },
  } as const
  const none = {
    chain,
    known: { tokens: new Set([usdc]) },
    intent: { spends: [], receives: [], deposits: [] },
    callBounds: [],
    priced,
    policyTokens: [],
    simulation: { inspected: { positions: [], pools: [], orders: [], vaultDeposits: [] } },
    value: { isExit: false },
  } satisfies Parameters<typeof suspectWarnings>[0]
  const receives = [{ token: evil, amount: 1n }] as const
  const inPair = [{ ...mintDeposit, token0: evil, token1: evil } as const]

  it.each([
    ['a trade', { callBounds: [swap(usdc, evil)] }],
    ['a trade for shares of its pair', { callBounds: [swap(usdc, pair)] }],
    ['a trade for shares of a pair of those', { callBounds: [swap(usdc, ofShares)] }],
    ['one for shares three pairs deep', { callBounds: [swap(usdc, ofThose)] }],
    ['whatever brings it', { intent: { ...none.intent, receives } }],
    ['a deposit into its pool', { intent: { ...none.intent, deposits: inPair } }],
  ])('is warned of first in %s', (_what, call) => {
    expect(suspectWarnings({ ...none, ...call })).toEqual([expect.stringMatching(/^Put nothing into 0x0{38}ee/i)])
  })

  it.each([
    ['an exit', { intent: { ...none.intent, receives }, value: { isExit: true } }],
    ['shares that hold it deeper than is looked', { callBounds: [swap(usdc, tooDeep)] }],
    ['its sale', { callBounds: [swap(evil, usdc)] }],
    ['a listed one', { callBounds: [swap(usdc, evil)], known: { tokens: new Set([usdc, evil]) } }],
    [
      'what a position pays out beside a deposit elsewhere',
      {
        intent: { ...none.intent, receives },
        simulation: { inspected: { ...none.simulation.inspected, positions: [held] } },
      },
    ],
    [
      'what shares of a pair of its shares pay out',
      {
        intent: {
          ...none.intent,
          receives: [{ token: pair, amount: 1n } as const],
          spends: [{ token: ofShares as Address, amount: 1n }],
        },
      },
    ],
    [
      'what shares of its pair pay out',
      { intent: { ...none.intent, receives, spends: [{ token: pair, amount: 1n } as const] } },
    ],
  ])('is none in %s', (_what, call) => {
    expect(suspectWarnings({ ...none, ...call })).toEqual([])
  })
})
