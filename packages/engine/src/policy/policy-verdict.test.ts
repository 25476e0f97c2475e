import { chains } from '@svc/wallet/core'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Intent } from '@svc/amm'
import { rewardDistributorAbi } from '@svc/amm/abis'
import { knownContracts } from '../calldata/known-contracts.ts'
import { parsePolicy } from './policy.ts'
import { policyVerdict } from './policy-verdict.ts'

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
