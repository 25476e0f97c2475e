import { chains, WalletError } from '@svc/wallet/core'
import { ServiceWallet } from '@svc/wallet/service-wallet'
import { encodeFunctionData, type Hex, parseAbi, parseUnits, type TypedDataDefinition } from 'viem'
import { afterEach, describe, expect, it } from 'vitest'
import { createWalletProviderServer } from '@svc/test-utils'
import { identityRegistryAbi } from '../calldata/calldata-forms.ts'
import { signables } from '../signatures/signable.ts'
import { parsePolicy } from '../policy/policy.ts'
import { compilePolicy } from './compile-policy.ts'
import { type AgentRole, roleTemplates } from './role-templates.ts'

// The compiled policy is given to the provider's stand-in as it is, and a managed wallet asks through the real client.
const base = chains.find(({ id }) => id === 8453)!
const usdc = base.tokens.find(({ symbol }) => symbol === 'USDC')!.address
const vault = '0x00000000000000000000000000000000000000aa'
const stranger = '0x00000000000000000000000000000000000000cc'
const roles = Object.keys(roleTemplates) as AgentRole[]
const router = base.amm.v3!.swapRouter02
const manager = base.amm.v3!.positionManager
const registry = '0x8004A169FB4a3325136EB29fA0ceB6D2e539a432'
const register = encodeFunctionData({
  abi: identityRegistryAbi,
  functionName: 'register',
  args: ['ipfs://x', [{ metadataKey: 'role', metadataValue: '0x01' }]],
})
const deposit = '0xd0e30db0'

const closers: (() => Promise<void>)[] = []

afterEach(async () => {
  for (const close of closers.splice(0)) await close()
})

const abi = parseAbi([
  'function approve(address,uint256)',
  'function transfer(address,uint256)',
  'function transferFrom(address,address,uint256)',
  'function setApprovalForAll(address,bool)',
])
const approve = (spender: Hex, amount: bigint) =>
  encodeFunctionData({ abi, functionName: 'approve', args: [spender, amount] })
const handOn = encodeFunctionData({ abi, functionName: 'transferFrom', args: [vault, stranger, 0n] })
const transfer = encodeFunctionData({ abi, functionName: 'transfer', args: [stranger, 1n] })

type Ask = (wallet: ServiceWallet) => Promise<unknown>

const transact =
  (to: Hex, data: Hex, value = 0n, chainId = base.id): Ask =>
  (wallet) =>
    wallet.signTransaction({
      type: 'eip1559',
      chainId,
      nonce: 0,
      gas: 100_000n,
      maxFeePerGas: 2n,
      maxPriorityFeePerGas: 1n,
      to,
      data,
      value,
    })

const permitTypes = signables.find(({ primaryType }) => primaryType === 'PermitSingle')!
  .types as TypedDataDefinition['types']

const permit =
  (spender: Hex, amount: bigint, verifyingContract: Hex = base.permit2): Ask =>
  (wallet) =>
    wallet.signTypedData({
      domain: { name: 'Permit2', chainId: base.id, verifyingContract },
      types: permitTypes,
      primaryType: 'PermitSingle',
      message: { details: { token: usdc, amount, expiration: 1, nonce: 0 }, spender, sigDeadline: 1n },
    })

const positions: readonly AgentRole[] = ['vault_manager', 'vault_creator']

describe('the provider enforces the template of each role', () => {
  it.each<readonly [string, Ask, readonly AgentRole[]]>([
    ['wrapping native currency', transact(base.wrappedNative.address, deposit, 1n), roles],
    ['a call of the router', transact(router, '0x12210e8a'), roles],
    ['a call of a listed vault', transact(vault, '0x6e553f65'), roles],
    ['an exact approval of the router', transact(usdc, approve(router, 10n ** 9n)), roles],
    ['a registration', transact(registry, register), roles],
    ['a transfer of an agent', transact(registry, handOn), []],
    ['an approval of an agent', transact(registry, approve(stranger, 0n)), []],
    ['a call of the position manager', transact(manager, '0x12210e8a'), positions],
    ['a permit for the router', permit(base.amm.universalRouter!.address, 5n), positions],
    ['a call of a stranger', transact(stranger, '0x'), []],
    ['a call on another chain', transact(base.wrappedNative.address, deposit, 1n, 1), []],
    ['a transfer of a token', transact(usdc, transfer), []],
    ['an approval of a stranger', transact(usdc, approve(stranger, 1n)), []],
    ['an unlimited approval', transact(usdc, approve(router, 2n ** 256n - 1n)), []],
    ['a permit for a stranger', permit(stranger, 5n), []],
    ['an unlimited permit', permit(base.amm.universalRouter!.address, 2n ** 160n - 1n), []],
    ['a permit of another contract', permit(base.amm.universalRouter!.address, 5n, usdc), []],
    [
      'an approval of every position',
      transact(manager, encodeFunctionData({ abi, functionName: 'setApprovalForAll', args: [stranger, true] })),
      [],
    ],
    [
      'a transfer of a position',
      transact(manager, encodeFunctionData({ abi, functionName: 'transferFrom', args: [vault, stranger, 1n] })),
      [],
    ],
    ['a message', (wallet) => wallet.signMessage('hello'), []],
    ['a delegation', (wallet) => wallet.signAuthorization({ contractAddress: vault, chainId: base.id, nonce: 0 }), []],
  ])('%s', async (_what, ask, allowed) => {
    const outcomes = []
    for (const role of roles) {
      const { wallet } = await open(role)
      outcomes.push([role, await outcomeOf(ask(wallet))])
    }
    expect(outcomes).toEqual(roles.map((role) => [role, allowed.includes(role) ? 'signed' : 'SIGNER_REFUSED']))
  })

  it.each(roles)('holds %s to its native currency, at once and in any 24 hours', async (role) => {
    const { nativePerTransaction, nativeDaily } = roleTemplates[role]
    const [atOnce, daily] = [parseUnits(nativePerTransaction, 18), parseUnits(nativeDaily, 18)]
    const yesterday = Date.now() - 86_400_000
    let now = yesterday
    const { wallet, provider } = await open(role, () => now)
    // Each spends another wei less, since the same request would be answered with the signature that is there.
    const spend = (value: bigint) => outcomeOf(transact(base.wrappedNative.address, deposit, value)(wallet))
    expect(await spend(atOnce + 1n)).toBe('SIGNER_REFUSED')
    let spent = 0n
    for (let less = 0n; spent + atOnce - less <= daily; less += 1n) {
      expect(await spend(atOnce - less)).toBe('signed')
      spent += atOnce - less
    }
    expect(spent).toBeGreaterThan(daily - atOnce)
    expect(await spend(daily - spent + 1n)).toBe('SIGNER_REFUSED')
    expect(await spend(daily - spent)).toBe('signed')
    expect(await outcomeOf(transact(vault, '0x', 1n)(wallet))).toBe('SIGNER_REFUSED')
    const before = provider.signatures()
    now = Date.now() + 1_000
    expect([await outcomeOf(transact(vault, '0x', 1n)(wallet)), provider.signatures()]).toEqual(['signed', before + 1])
  })
})

async function open(role: AgentRole, now?: () => number) {
  const provider = await createWalletProviderServer(now === undefined ? {} : { now })
  closers.push(provider.close)
  const policy = parsePolicy({ contracts: { 8453: [vault] } }, { production: true })
  const compiled = JSON.parse(JSON.stringify(compilePolicy(policy, [base], { role })))
  const made = await provider.createWallet({ policy: compiled.policy, aggregations: compiled.aggregations })
  const { appId, appSecret, url: apiUrl } = provider
  return { provider, wallet: new ServiceWallet({ mode: 'managed', appId, appSecret, apiUrl, ...made }) }
}

async function outcomeOf(answer: Promise<unknown>): Promise<string> {
  return await answer.then(
    () => 'signed',
    (error: unknown) => (error instanceof WalletError ? error.code : String(error)),
  )
}
