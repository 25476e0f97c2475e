import { chains } from '@svc/wallet/core'
import { twammOrderAbi } from '@svc/amm/abis'
import { type Abi, decodeFunctionData, encodeFunctionData, getAddress, type Hex, parseAbi, parseUnits } from 'viem'
import { describe, expect, it } from 'vitest'
import { parsePolicy } from '../policy/policy.ts'
import { compilePolicy } from './compile-policy.ts'
import { type ProviderCondition, providerPolicySchema } from './provider-policy-schema.ts'
import { roleTemplates } from './role-templates.ts'

const base = chains.find(({ id }) => id === 8453)!
const vault = '0x00000000000000000000000000000000000000aa'
const stranger = '0x00000000000000000000000000000000000000cc'
const usdc = base.tokens.find(({ symbol }) => symbol === 'USDC')!.address
const written = { contracts: { 8453: [vault] } }
const roles = ['vault_participant', 'vault_manager', 'vault_creator'] as const

const compile = (role: (typeof roles)[number] = 'vault_manager', policy: unknown = written) =>
  compilePolicy(parsePolicy(policy, { production: true }), [base], { role })

type Request =
  | { method: 'eth_signTransaction'; to: string; value: bigint; chainId: number; data: Hex; spentNative?: bigint }
  | { method: 'eth_signTypedData_v4'; domain: Record<string, unknown>; message: Record<string, unknown> }
  | { method: 'exportPrivateKey' | 'personal_sign' | 'eth_sendTransaction' | 'secp256k1_sign' }

/** What the provider publishes of its evaluation: all conditions of a rule hold, DENY beats ALLOW, nothing matched is DENY. */
function evaluate({ policy }: ReturnType<typeof compile>, request: Request): 'ALLOW' | 'DENY' {
  const matched = policy.rules.filter(
    ({ method, conditions }) => method === request.method && conditions.every((one) => holds(one, request)),
  )
  return matched.some(({ action }) => action === 'DENY') || matched.length === 0 ? 'DENY' : 'ALLOW'
}

function holds(condition: ProviderCondition, request: Request): boolean {
  const actual = actualOf(condition, request)
  if (actual === null) return false
  const { operator, value } = condition
  if (operator === 'in') return (value as string[]).some((one) => one.toLowerCase() === actual.toLowerCase())
  if (operator === 'eq') return (value as string).toLowerCase() === actual.toLowerCase()
  if (operator === 'lte') return BigInt(actual) <= BigInt(value as string)
  throw new Error(`unexpected ${operator}`)
}

function actualOf(condition: ProviderCondition, request: Request): string | null {
  if (request.method === 'eth_signTypedData_v4') {
    if (condition.field_source === 'ethereum_typed_data_domain') return String(request.domain[condition.field])
    if (condition.field_source !== 'ethereum_typed_data_message') return null
    const path = condition.field.split('.')
    return String(path.reduce<unknown>((inner, name) => (inner as Record<string, unknown>)[name], request.message))
  }
  if (request.method !== 'eth_signTransaction') return null
  if (condition.field_source === 'reference') return `${(request.spentNative ?? 0n) + request.value}`
  if (condition.field_source === 'ethereum_transaction') {
    return `${{ to: request.to, value: request.value, chain_id: request.chainId }[condition.field]}`
  }
  if (condition.field_source !== 'ethereum_calldata') return null
  try {
    const abi: Abi = JSON.parse(JSON.stringify(condition.abi))
    const { functionName, args = [] } = decodeFunctionData({ abi, data: request.data })
    if (condition.field === 'function_name') return functionName
    const [name, argument] = condition.field.split('.')
    const definition = abi.find((item) => item.type === 'function' && item.name === functionName)
    if (name !== functionName || definition?.type !== 'function') return null
    return String(args[definition.inputs.findIndex((input) => input.name === argument)])
  } catch {
    return null
  }
}

const erc20 = parseAbi(['function approve(address,uint256)', 'function transfer(address,uint256)'])
const approve = (spender: Hex, amount: bigint): Hex =>
  encodeFunctionData({ abi: erc20, functionName: 'approve', args: [spender, amount] })
const tx = (to: string, data: Hex, change: Partial<Extract<Request, { method: 'eth_signTransaction' }>> = {}) =>
  ({ method: 'eth_signTransaction', to, data, value: 0n, chainId: 8453, ...change }) as const
const deposit = '0xd0e30db0'

describe('the policy for the managed wallet', () => {
  it.each(roles)('has the shape the provider takes, for %s on every chain', (role) => {
    const {
      provider,
      role: of,
      notExpressed,
      ...body
    } = compilePolicy(parsePolicy(written, { production: true }), chains, { role })
    expect(providerPolicySchema.parse(JSON.parse(JSON.stringify(body)))).toEqual(body)
    expect([provider, of]).toEqual(['privy', role])
    expect(notExpressed.length).toBeGreaterThan(8)
    const names = body.aggregations.map(({ name }) => `aggregation.${name}`)
    const referred = body.policy.rules.flatMap(({ conditions }) =>
      conditions.flatMap((one) => (one.field_source === 'reference' ? [one.field] : [])),
    )
    expect(new Set(referred)).toEqual(new Set(names))
  })

  it('counts the native currency of a day on its own chain alone', () => {
    const policy = parsePolicy(written, { production: true })
    const { aggregations } = compilePolicy(policy, chains, { role: 'vault_manager' })
    expect(aggregations.map(({ conditions }) => conditions)).toEqual(
      chains.map(({ id }) => [
        { field_source: 'ethereum_transaction', field: 'chain_id', operator: 'eq', value: `${id}` },
      ]),
    )
  })

  it.each<readonly [string, Request]>([
    ['wrapping', tx(base.wrappedNative.address, deposit, { value: 1n })],
    ['a call of the router', tx(base.amm.v3!.swapRouter02, '0x12210e8a')],
    ['a listed contract', tx(vault, '0x6e553f65')],
    ['a bounded approval', tx(usdc, approve(base.amm.v3!.swapRouter02, 10n ** 9n))],
    [
      'a permit for the router',
      {
        method: 'eth_signTypedData_v4',
        domain: { chainId: 8453, verifyingContract: base.permit2 },
        message: { spender: base.amm.universalRouter!.address, details: { amount: 5n } },
      },
    ],
  ])('allows %s', (_what, request) => {
    expect(evaluate(compile(), request)).toBe('ALLOW')
  })

  const nft = parseAbi(['function setApprovalForAll(address,bool)', 'function transferFrom(address,address,uint256)'])
  const manager = base.amm.v3!.positionManager
  it.each<readonly [string, Request]>([
    ['a stranger', tx(stranger, '0x')],
    ['another chain', tx(base.wrappedNative.address, deposit, { chainId: 1 })],
    [
      'a transfer of the wrapped token',
      tx(
        base.wrappedNative.address,
        encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [stranger, 1n] }),
      ),
    ],
    [
      'a transfer of a token',
      tx(usdc, encodeFunctionData({ abi: erc20, functionName: 'transfer', args: [stranger, 1n] })),
    ],
    ['an approval of a stranger', tx(usdc, approve(stranger, 1n))],
    ['an unlimited approval', tx(usdc, approve(base.amm.v3!.swapRouter02, 2n ** 256n - 1n))],
    [
      'an approval of every position',
      tx(manager, encodeFunctionData({ abi: nft, functionName: 'setApprovalForAll', args: [stranger, true] })),
    ],
    [
      'a transfer of a position',
      tx(manager, encodeFunctionData({ abi: nft, functionName: 'transferFrom', args: [vault, stranger, 1n] })),
    ],
    ['much native currency at once', tx(base.wrappedNative.address, deposit, { value: parseUnits('0.2', 18) + 1n })],
    [
      'much native currency in a day',
      tx(base.wrappedNative.address, deposit, { value: 1n, spentNative: parseUnits('0.8', 18) }),
    ],
    ['native currency sent to a listed contract above the cap', tx(vault, '0x', { value: parseUnits('1', 18) })],
    ['export of the key', { method: 'exportPrivateKey' }],
    ['a signed message', { method: 'personal_sign' }],
    ['a broadcast by the provider', { method: 'eth_sendTransaction' }],
    ['a raw hash', { method: 'secp256k1_sign' }],
    [
      'a permit for a stranger',
      {
        method: 'eth_signTypedData_v4',
        domain: { chainId: 8453, verifyingContract: base.permit2 },
        message: { spender: stranger, details: { amount: 5n } },
      },
    ],
    [
      'a permit of another contract',
      {
        method: 'eth_signTypedData_v4',
        domain: { chainId: 8453, verifyingContract: usdc },
        message: { spender: base.amm.universalRouter!.address, details: { amount: 5n } },
      },
    ],
  ])('denies %s', (_what, request) => {
    expect(evaluate(compile(), request)).toBe('DENY')
  })

  it('gives a participant neither positions nor permits', () => {
    const participant = compile('vault_participant')
    expect(evaluate(participant, tx(manager, '0x12210e8a'))).toBe('DENY')
    expect(evaluate(compile(), tx(manager, '0x12210e8a'))).toBe('ALLOW')
    expect(
      participant.policy.rules.some(({ action, method }) => action === 'ALLOW' && method === 'eth_signTypedData_v4'),
    ).toBe(false)
    expect(Object.keys(roleTemplates)).toEqual([...roles])
  })

  it('lets every role place, end and claim orders at the hooks that the policy names, and approve them', () => {
    const hook = getAddress('0x00000000000000000000000000000000000000bb')
    const claim = encodeFunctionData({ abi: twammOrderAbi, functionName: 'claimTokens', args: [usdc, vault, 0n] })
    const requests = [tx(hook, claim), tx(usdc, approve(hook, 5n))]
    for (const role of roles) {
      const naming = compile(role, { twammHooks: { 8453: [{ hook, pools: [] }] } })
      expect(requests.map((request) => evaluate(naming, request))).toEqual(['ALLOW', 'ALLOW'])
      expect(evaluate(naming, tx(hook, claim, { value: 1n }))).toBe('DENY')
      expect(evaluate(naming, tx(hook, '0x12345678'))).toBe('DENY')
      expect(requests.map((request) => evaluate(compile(role), request))).toEqual(['DENY', 'DENY'])
    }
  })

  it('leaves a listed contract out that is a token, and says which functions it cannot name', () => {
    expect(evaluate(compile('vault_manager', { contracts: { 8453: [usdc] } }), tx(usdc, '0x12345678'))).toBe('DENY')
    const { notExpressed } = compile('vault_manager', {
      contracts: { 8453: [{ address: vault, selectors: ['0x6e553f65'] }] },
    })
    expect(notExpressed.join('\n')).toContain(`selectors of 8453:${vault}`)
  })
})

describe('signed orders', () => {
  it('are signed for the reactor of the chain alone, and on no chain without one', () => {
    const ethereum = chains.find(({ id }) => id === 1)!
    const { policy } = compilePolicy(parsePolicy({}, { production: true }), [ethereum, base], {
      role: 'vault_participant',
    })
    const rules = policy.rules.filter(({ name }) => name.includes('signed orders'))
    expect(rules.map(({ name, method, action }) => [name, method, action])).toEqual([
      ['1 signed orders', 'eth_signTypedData_v4', 'ALLOW'],
    ])
    const conditions = rules[0]?.conditions.map(({ field_source, ...one }) => [
      field_source,
      'field' in one ? one.field : null,
      one.value,
    ])
    expect(conditions).toEqual(
      expect.arrayContaining([
        ['ethereum_typed_data_domain', 'chainId', '1'],
        ['ethereum_typed_data_domain', 'verifyingContract', ethereum.permit2],
        ['ethereum_typed_data_message', 'spender', [ethereum.orderReactor]],
        ['ethereum_typed_data_message', 'witness.info.reactor', [ethereum.orderReactor]],
      ]),
    )
  })
})
