import { vaultAbi, vaultCallAbi } from '@svc/amm/abis'
import { chains } from '@svc/wallet/core'
import { type Address, encodeFunctionData, getAddress, type Hex } from 'viem'
import { describe, expect, it } from 'vitest'
import type { Intent } from '@svc/amm'
import { callBounds, noBounds } from './call-bounds.ts'
import { describeCalldata } from './describe-calldata.ts'
import { knownContracts } from './known-contracts.ts'
import { parsePolicy } from '../policy/policy.ts'
import { mayBringHome } from '../value/way-home.ts'
import { policyVerdict } from '../verdict/policy-verdict.ts'

const chain = chains.find(({ id }) => id === 8453)!
const vault = getAddress('0x00000000000000000000000000000000000000aa')
const wallet = getAddress('0x00000000000000000000000000000000000000bb')
const friend = getAddress('0x00000000000000000000000000000000000000cc')
const usdc = chain.tokens.find(({ symbol }) => symbol === 'USDC')!.address
const shares = 10n ** 20n

const abi = vaultCallAbi
const mint = (receiver: Address = wallet): Hex =>
  encodeFunctionData({ abi, functionName: 'mint', args: [shares, receiver] })
const withdraw = encodeFunctionData({ abi: vaultAbi, functionName: 'withdraw', args: [5n, wallet, wallet] })
const redeem = (receiver: Address = wallet, owner: Address = wallet): Hex =>
  encodeFunctionData({ abi, functionName: 'redeem', args: [7n, receiver, owner] })
const rebalance = (worth = 1n, least = 1n): Hex =>
  encodeFunctionData({ abi, functionName: 'rebalance', args: [worth, least] })
const manage = (data: Hex) => exit(data, { spends: [], receives: [], recipients: [] })

const policyOf = (vaults: Address[] = [vault]) =>
  parsePolicy(
    { recipients: { 8453: [friend] }, vaults: { 8453: vaults }, allowlist: { mode: 'strict' } },
    { production: false },
  )
const known = knownContracts(chain, policyOf())

function deposit(data: Hex = mint(), changes: Partial<Intent> = {}): Intent {
  return {
    chainId: chain.id,
    calls: [{ to: vault, data, valueWei: 0n, label: 'mint shares' }],
    atomicity: 'single',
    spends: [{ token: usdc, amount: 100n }],
    receives: [{ token: vault, amount: shares }],
    approvals: [{ token: usdc, spender: vault, amount: 100n, via: 'erc20', revokeAfter: true }],
    riskTier: 'routine',
    slippageBps: 10,
    deadline: null,
    recipients: [wallet],
    why: 'test',
    ...changes,
  }
}

const exit = (data: Hex, changes: Partial<Intent> = {}): Intent =>
  deposit(data, {
    spends: [{ token: vault, amount: 7n }],
    receives: [{ token: usdc, amount: 5n }],
    approvals: [],
    ...changes,
  })

/** What the policy says of it, with a friend among those who may be paid. */
function codesOf(intent: Intent, policy = policyOf()): readonly string[] {
  const context = { chain, policy, known: knownContracts(chain, policy), wallet, nowSeconds: 0 }
  return policyVerdict(intent, context).refusals.map(({ code }) => code)
}

const [approval] = deposit().approvals
const [call] = deposit().calls

describe('calls to a vault', () => {
  it.each([
    ['a deposit', deposit()],
    ['a way out', exit(redeem())],
    ['its rebalance', manage(rebalance())],
  ])('are known: %s', (_what, intent) => {
    expect(codesOf(intent)).toEqual([])
  })

  it('are not, where the policy does not name it', () => {
    expect(codesOf(deposit(), policyOf([]))).toEqual(
      expect.arrayContaining(['CONTRACT_NOT_ALLOWED', 'SPENDER_NOT_ALLOWED', 'TOKEN_NOT_ALLOWLISTED']),
    )
    expect(codesOf(exit(redeem()), policyOf([]))).toContain('CONTRACT_NOT_ALLOWED')
  })

  it.each([
    ['shares for somebody else', deposit(mint(friend))],
    ['shares for the vault', deposit(mint(vault))],
    ['what shares bring, for somebody else', exit(redeem(friend))],
    ["what somebody else's shares bring", exit(redeem(wallet, friend))],
  ])('pay the wallet alone, whom the policy lists or not: not %s', (_what, intent) => {
    expect(codesOf(intent)).toEqual(['RECIPIENT_NOT_ALLOWED'])
  })

  it.each([
    [
      'a deposit that names no shares',
      encodeFunctionData({ abi: vaultAbi, functionName: 'deposit', args: [100n, wallet] }),
    ],
    ['an amount, for as many shares as it burns', withdraw],
    ['a transfer of shares', '0xa9059cbb'],
    ['more bytes than it says', `${mint()}00`],
    [
      'a receiver with dirty bits',
      mint().replace(
        '0'.repeat(24) + wallet.slice(2).toLowerCase(),
        `${'0'.repeat(23)}1${wallet.slice(2).toLowerCase()}`,
      ) as Hex,
    ],
  ] as const)('are of the forms that are made here: not %s', (_what, data) => {
    expect(codesOf(deposit(data))).toContain('CONTRACT_NOT_ALLOWED')
  })

  it.each<[string, Partial<Intent>]>([
    ['without an allowance: one that stands would bound nothing', { approvals: [] }],
    ['with an allowance that lasts', { approvals: [{ ...approval!, revokeAfter: false }] }],
    ['with a larger one than it spends', { approvals: [{ ...approval!, amount: 101n }] }],
    ['with a smaller one', { approvals: [{ ...approval!, amount: 99n }] }],
    ['with two', { approvals: [approval!, { ...approval!, token: chain.wrappedNative.address }] }],
    ['of another token than it spends', { spends: [{ token: chain.wrappedNative.address, amount: 100n }] }],
    ['that declares other shares than it makes', { receives: [{ token: vault, amount: shares - 1n }] }],
    ['that declares none', { receives: [] }],
    ['beside another call', { calls: [call!, call!], atomicity: 'sequential' }],
    ['in a batch', { calls: [call!, call!], atomicity: 'batch-7702' }],
    ['with native currency', { calls: [{ ...call!, valueWei: 1n }] }],
  ])('deposit for an exact allowance of one token alone: not %s', (_what, changes) => {
    expect(codesOf(deposit(mint(), changes))).toContain('UNSAFE_TRANSACTION')
  })

  it('rebalance with a bound of what shares are worth afterwards alone', () => {
    for (const data of [rebalance(0n, 1n), rebalance(1n, 0n)])
      expect(codesOf(manage(data))).toEqual(['UNSAFE_TRANSACTION'])
  })

  it('leave without an allowance', () => {
    expect(codesOf(exit(redeem(), { approvals: deposit().approvals }))).toContain('UNSAFE_TRANSACTION')
  })

  it('say what they make and give back', () => {
    const boundsOf = (data: Hex) => callBounds([{ to: vault, data, valueWei: 0n }], { chain, known })[0]
    const key = vault.toLowerCase()
    expect(boundsOf(mint())).toEqual({ ...noBounds, vaultDeposits: [{ vault: key, shares }] })
    expect(boundsOf(redeem())).toEqual({ ...noBounds, leaves: [{ vault: key, shares: 7n }] })
    const bound = { vault: key, shares: 3n, leastAssets: 2n }
    expect(boundsOf(rebalance(3n, 2n))).toEqual({ ...noBounds, rebalances: [bound] })
    expect(() => boundsOf(withdraw)).toThrow('not found on ABI')
  })

  it('are ways home where they leave, and nowhere else', () => {
    const isHome = (intent: Intent) => mayBringHome({ intent, chain, known, wallet })
    expect(isHome(exit(redeem()))).toBe(true)
    expect(isHome(manage(rebalance()))).toBe(false)
    expect([deposit(), exit(redeem(friend), { recipients: [friend] })].map(isHome)).toEqual([false, false])
  })

  it('a vault that is a contract of the AMM stays that', () => {
    const router = chain.amm.v3!.swapRouter02
    expect(knownContracts(chain, policyOf([router])).surfaces.get(router.toLowerCase())).toBe('v3SwapRouter02')
  })

  it('are shown to a person', () => {
    expect(describeCalldata(chain, { to: vault, data: mint(), named: 'vault' })).toMatchObject({
      contract: 'a vault of the policy',
      calls: [{ function: 'mint', arguments: { shares: `${shares}`, receiver: wallet } }],
    })
  })
})
