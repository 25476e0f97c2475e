import { chains, findChain } from '@svc/wallet/core'
import { expect, it } from 'vitest'
import type { Intent } from '@svc/amm'
import { mintDeposit } from '../fixtures/deposit.fixture.ts'
import { callOf } from '../fixtures/open-pipeline.fixture.ts'
import { shownPlanHash } from './plan-shown.ts'

const chain = findChain(chains, 'base')!
const [weth, usdc] = ['WETH', 'USDC'].map((symbol) => chain.tokens.find((token) => token.symbol === symbol)!)
const intent: Intent = {
  chainId: chain.id,
  calls: [],
  atomicity: 'single',
  spends: [],
  receives: [],
  approvals: [],
  riskTier: 'routine',
  slippageBps: 50,
  deadline: null,
  recipients: [],
  deposits: [{ ...mintDeposit, token0: weth!.address, token1: usdc!.address }],
  why: 'add liquidity',
}

const value = { outUsdMicros: 1n, inUsdMicros: 1n, leastInUsdMicros: 1n, warnings: [] }

it('names what a person is shown: where prices or names come out otherwise, it is another plan', () => {
  const call = callOf()
  const hashOf = (decimals: number) => {
    const tokens = chain.tokens.map((token) => (token === usdc ? Object.assign({ ...token }, { decimals }) : token))
    return shownPlanHash({ call, intent, wallet: weth!.address, priced: new Map(), chain: { ...chain, tokens }, value })
  }
  expect(hashOf(6)).toBe(hashOf(6))
  expect(hashOf(18)).not.toBe(hashOf(6))
})

it('stays the same while a price moves by cents', () => {
  const call = callOf()
  const hashOf = (inUsdMicros: bigint) => {
    const own = { ...value, inUsdMicros }
    return shownPlanHash({ call, intent, wallet: weth!.address, priced: new Map(), chain, value: own })
  }
  expect(hashOf(5_040_000n)).toBe(hashOf(5_010_000n))
  expect(hashOf(6_040_000n)).not.toBe(hashOf(5_010_000n))
})
