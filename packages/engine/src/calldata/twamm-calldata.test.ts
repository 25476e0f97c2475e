import { twammOrderAbi } from '@svc/amm/abis'
import { chains } from '@svc/wallet/core'
import { type Address, encodeFunctionData, getAddress, type Hex, parseAbi, zeroAddress } from 'viem'
import { poolIdOf } from '@svc/amm/liquidity'
import { describe, expect, it } from 'vitest'
import type { Intent } from '@svc/amm'
import { describeCalldata } from './describe-calldata.ts'
import { knownContracts } from './known-contracts.ts'
import { parsePolicy } from '../policy/policy.ts'
import { explainPolicy } from '../verdict/explain-policy.ts'
import { policyVerdict } from '../verdict/policy-verdict.ts'

const chain = chains.find(({ id }) => id === 8453)!
const hook = getAddress('0x00000000000000000000000000000000000000aa')
const wallet = getAddress('0x00000000000000000000000000000000000000bb')
const friend = getAddress('0x00000000000000000000000000000000000000cc')
const weth = chain.wrappedNative.address
const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address

const key = { currency0: weth, currency1: usdc, fee: 3_000, tickSpacing: 60, hooks: hook }
const order = { owner: wallet, expiration: 1_800_000_000n, zeroForOne: true }
type Named = { readonly key?: Partial<typeof key>; readonly order?: Partial<typeof order> }

const named = ({ key: ofKey, order: ofOrder }: Named) =>
  [
    { ...key, ...ofKey },
    { ...order, ...ofOrder },
  ] as const
const abi = twammOrderAbi
const submit = (of: Named = {}): Hex =>
  encodeFunctionData({ abi, functionName: 'submitOrder', args: [...named(of), 10n ** 18n] })
const update = (amountDelta: bigint, of: Named = {}): Hex =>
  encodeFunctionData({ abi, functionName: 'updateOrder', args: [...named(of), amountDelta] })
const claim = (to: Address, amount = 0n): Hex =>
  encodeFunctionData({ abi, functionName: 'claimTokens', args: [usdc, to, amount] })

type Lists = { readonly names?: boolean; readonly pools?: readonly Hex[] }

/** What the policy says of a call to the hook, with a friend among those who may be paid. */
function codesOf(data: Hex, lists: Lists = {}): readonly string[] {
  const policy = policyOf(lists)
  const known = knownContracts(chain, policy)
  return policyVerdict(intentOf(data), { chain, policy, known, wallet, nowSeconds: 0 }).refusals.map(({ code }) => code)
}

function policyOf({ names = true, pools = [poolIdOf(key)] }: Lists) {
  const twammHooks = names ? { twammHooks: { 8453: [{ hook, pools }] } } : {}
  const written = { recipients: { 8453: [friend] }, ...twammHooks, allowlist: { mode: 'strict' } }
  return parsePolicy(written, { production: false })
}

function intentOf(data: Hex): Intent {
  return {
    chainId: chain.id,
    calls: [{ to: hook, data, valueWei: 0n, label: 'submit order' }],
    atomicity: 'single',
    spends: [{ token: weth, amount: 10n ** 18n }],
    receives: [],
    approvals: [{ token: weth, spender: hook, amount: 10n ** 18n, via: 'erc20', revokeAfter: true }],
    riskTier: 'routine',
    slippageBps: null,
    deadline: null,
    recipients: [wallet],
    why: 'test',
  }
}

describe('calls to a TWAMM hook', () => {
  it.each([
    ['an order', submit()],
    ['settling one', update(0n)],
    ['ending one', update(-1n)],
    ['a claim', claim(wallet)],
  ])('are known: %s', (_what, data) => {
    expect(codesOf(data)).toEqual([])
  })

  it('are not, where the policy does not name it', () => {
    expect(codesOf(submit(), { names: false })).toEqual(['CONTRACT_NOT_ALLOWED', 'SPENDER_NOT_ALLOWED'])
  })

  it('place orders in the pools that the policy names alone, and end them in any', () => {
    expect(codesOf(submit(), { pools: [] })).toEqual(['NO_TWAMM_HOOK'])
    expect(codesOf(submit({ key: { fee: 500 } }))).toEqual(['NO_TWAMM_HOOK'])
    for (const data of [update(-1n), update(0n), claim(wallet)]) expect(codesOf(data, { pools: [] })).toEqual([])
  })

  it.each([
    ["somebody else's order", submit({ order: { owner: friend } })],
    ["settling somebody else's", update(0n, { order: { owner: friend } })],
    ['a claim for somebody else, listed or not', claim(friend)],
    ['a claim that stays in the hook', claim(hook)],
  ])('pay the wallet alone: not %s', (_what, data) => {
    expect(codesOf(data)).toEqual(['RECIPIENT_NOT_ALLOWED'])
  })

  it.each([
    ['an order in a pool of another hook', submit({ key: { hooks: friend } })],
    ['an order in a pool without one', submit({ key: { hooks: zeroAddress } })],
    ['ending an order of another hook', update(-1n, { key: { hooks: friend } })],
    ['adding to an order', update(1n)],
    ['taking a part of one back', update(-2n)],
    ['claiming a part', claim(wallet, 1n)],
    ['what else a hook has', encodeFunctionData({ abi: parseAbi(['function withdraw(address to)']), args: [wallet] })],
    ['more bytes than it says', `${submit()}00`],
  ] as const)('are of the forms that are made here: not %s', (_what, data) => {
    expect(codesOf(data)).toContain('CONTRACT_NOT_ALLOWED')
  })

  it('are explained by the rule that names hooks and pools', () => {
    const question = {
      tool: null,
      principalId: null,
      spendUsdMicros: null,
      gasUsdMicros: null,
      used: null,
      weighed: null,
    }
    const ruleOf = (pools: readonly Hex[]) => {
      const context = { chain, policy: policyOf({ pools }), wallet, nowSeconds: 0 }
      return explainPolicy({ ...question, intent: intentOf(submit()) }, context).find(
        ({ rule }) => rule === 'twammHooks',
      )
    }
    expect(ruleOf([poolIdOf(key)])).toMatchObject({
      verdict: 'allow',
      says: 'orders over time in the pools it names: 1',
    })
    expect(ruleOf([])).toMatchObject({
      verdict: 'deny',
      code: 'NO_TWAMM_HOOK',
      asked: '"submit order"',
      change: 'add the pool to its hook in twammHooks under "8453"',
    })
  })

  it('a hook that is a contract of the AMM stays that', () => {
    const router = chain.amm.v3!.swapRouter02
    const policy = parsePolicy({ twammHooks: { 8453: [{ hook: router, pools: [] }] } }, { production: false })
    expect(knownContracts(chain, policy).surfaces.get(router.toLowerCase())).toBe('v3SwapRouter02')
  })

  it('are shown to a person', () => {
    const shown = (data: Hex) => describeCalldata(chain, { to: hook, data, named: 'twammHook' })
    expect(shown(submit())).toEqual({
      contract: 'a TWAMM hook of the policy',
      calls: [
        {
          function: 'submitOrder',
          arguments: {
            currency0: weth,
            currency1: usdc,
            fee: '3000',
            tickSpacing: '60',
            hooks: hook,
            owner: wallet,
            expiration: '2027-01-15T08:00:00.000Z',
            zeroForOne: 'true',
            amountIn: '1000000000000000000',
          },
          tokens: { amountIn: weth },
        },
      ],
    })
    expect(shown(update(-1n)).calls[0]?.arguments['amountDelta']).toBe('-1, which ends the order')
    expect(shown(update(0n)).calls[0]?.arguments['amountDelta']).toBe('0, which settles what it earned')
    expect(shown(claim(wallet)).calls[0]?.arguments['amountRequested']).toBe('0, which stands for all that is owed')
    expect(describeCalldata(chain, { to: hook, data: submit() })).toEqual({ contract: null, calls: [] })
  })
})
