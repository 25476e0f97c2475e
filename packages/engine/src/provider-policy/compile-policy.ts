import type { Chain } from '@svc/wallet/core'
import type { Policy } from '../policy/policy.ts'
import { type Abi, getAddress, isAddress, parseUnits } from 'viem'
import { erc20Abi, permit2Abi } from '@svc/amm/abis'
import { knownContracts } from '../calldata/known-contracts.ts'
import { surfaceAbi } from '../calldata/read-calldata.ts'
import type { Surface } from '../calldata/call-recipients.ts'
import { signables } from '../signatures/signable.ts'
import type { ProviderCondition, ProviderPolicy, ProviderRule } from './provider-policy-schema.ts'
import { type AgentRole, roleTemplates } from './role-templates.ts'

/**
 * Turns the operator's policy into the one the managed wallet's provider enforces beside the server: what no rule allows
 * is denied there. It is a second fence, never wider than the chains, contracts, tokens and spenders of the policy and the
 * role's template; what it cannot say stands in `notExpressed`. Reads nothing but its arguments.
 */
export function compilePolicy(
  policy: Policy,
  chains: readonly Chain[],
  options: { readonly role: AgentRole },
): CompiledPolicy {
  const { role } = options
  const rules = chains.flatMap((chain) => [
    ...contractRules(chain, policy, role),
    ...approvalRules(chain, policy),
    ...(roleTemplates[role].permits ? permitRules(chain, policy) : []),
    ...orderRules(chain),
  ])
  return {
    provider: 'privy',
    role,
    aggregations: chains.map((chain) => dailyNative(chain)),
    policy: { version: '1.0', name: `svc ${role}`, chain_type: 'ethereum', rules: [...rules, ...denials] },
    notExpressed: notExpressed(policy, chains),
  }
}

export type CompiledPolicy = ProviderPolicy & {
  readonly provider: 'privy'
  readonly role: AgentRole
  /** What the server enforces and the provider cannot: nobody should believe otherwise. */
  readonly notExpressed: readonly string[]
}

/** Ways to sign or leak that no write needs: the server signs transactions and broadcasts them itself. */
const denials: readonly ProviderRule[] = (
  [
    'exportPrivateKey',
    'exportSeedPhrase',
    'personal_sign',
    'eth_sendTransaction',
    'wallet_sendCalls',
    'eth_sign7702Authorization',
    'transfer',
  ] as const
).map((method) => ({ name: `never ${method}`, method, action: 'DENY', conditions: [] }))

function contractRules(chain: Chain, policy: Policy, role: AgentRole): readonly ProviderRule[] {
  const template = roleTemplates[role]
  const known = knownContracts(chain, policy)
  const own = [...known.surfaces].flatMap(([address, surface]): readonly ProviderRule[] => {
    if (surface === 'listed' || !template.surfaces.includes(surface)) return []
    return [
      signing(chain, surface, [
        transaction('to', 'eq', address),
        ...(isPayable(surface) ? nativeCaps(chain, role) : [transaction('value', 'eq', '0')]),
        functions(surfaceAbi(surface)),
      ]),
    ]
  })
  // A token among the listed contracts stays out: without its functions named, a rule would let it be transferred.
  const listed = [...known.surfaces].flatMap(([address, surface]) =>
    surface === 'listed' && !known.tokens.has(address) ? [address] : [],
  )
  if (!template.listedContracts || listed.length === 0) return own
  return [...own, signing(chain, 'listed contracts', [transaction('to', 'in', listed), ...nativeCaps(chain, role)])]
}

function approvalRules(chain: Chain, policy: Policy): readonly ProviderRule[] {
  const { tokens, spenders } = knownContracts(chain, policy)
  const permit2 = chain.permit2.toLowerCase()
  const approve = (abi: Abi, allowed: readonly string[]): readonly ProviderCondition[] => [
    transaction('value', 'eq', '0'),
    functions(abi),
    calldata(abi, 'approve.spender', 'in', allowed),
    calldata(abi, 'approve.amount', 'lte', `${largestApproval}`),
  ]
  const allowed = [...spenders.keys()]
  return [
    signing(chain, 'token approvals', [
      transaction('to', 'in', [...tokens]),
      ...approve(only(erc20Abi, ['approve']), allowed),
    ]),
    signing(chain, 'Permit2 allowances', [
      transaction('to', 'eq', permit2),
      ...approve(
        only(permit2Abi, ['approve']),
        allowed.filter((spender) => spender !== permit2),
      ),
    ]),
  ]
}

function permitRules(chain: Chain, policy: Policy): readonly ProviderRule[] {
  const permit2 = chain.permit2.toLowerCase()
  const spenders = [...knownContracts(chain, policy).spenders.keys()].filter((spender) => spender !== permit2)
  return [
    typedData(chain, 'Permit2 permits', 'PermitSingle', [
      ['spender', 'in', spenders.map(addressed)],
      ['details.amount', 'lte', `${largestApproval}`],
    ]),
  ]
}

/** What an order sells and whom it pays stands in lists, which the provider does not look into: the server does, member by member. */
function orderRules(chain: Chain): readonly ProviderRule[] {
  if (chain.orderReactor === undefined) return []
  const reactor = [addressed(chain.orderReactor.toLowerCase())]
  return [
    typedData(chain, 'signed orders', 'PermitWitnessTransferFrom', [
      ['spender', 'in', reactor],
      ['permitted.amount', 'lte', `${largestApproval}`],
      ['witness.info.reactor', 'in', reactor],
    ]),
  ]
}

type MessageRule = readonly [field: string, operator: 'in' | 'lte', value: string | string[]]

/** Typed data of Permit2 on one chain, of one of the kinds that are ever signed. */
function typedData(chain: Chain, name: string, primaryType: string, rules: readonly MessageRule[]): ProviderRule {
  const typed_data = {
    primary_type: primaryType,
    types: Object.fromEntries(Object.entries(typesOf(primaryType)).map(([of, members]) => [of, [...members]])),
  }
  const domain = (field: 'chainId' | 'verifyingContract', value: string): ProviderCondition => ({
    field_source: 'ethereum_typed_data_domain',
    field,
    operator: 'eq',
    value,
  })
  return {
    name: `${chain.id} ${name}`,
    method: 'eth_signTypedData_v4',
    action: 'ALLOW',
    conditions: [
      domain('chainId', `${chain.id}`),
      domain('verifyingContract', chain.permit2),
      ...rules.map(([field, operator, value]): ProviderCondition => ({
        field_source: 'ethereum_typed_data_message',
        typed_data,
        field,
        operator,
        value,
      })),
    ],
  }
}

function typesOf(primaryType: string) {
  return signables.find((one) => one.primaryType === primaryType)?.types ?? {}
}

/** What native currency leaves in any 24 hours, counted by the provider after each signature. */
function dailyNative(chain: Chain): ProviderPolicy['aggregations'][number] {
  return {
    name: aggregationOf(chain),
    method: 'eth_signTransaction',
    metric: { field: 'value', field_source: 'ethereum_transaction', function: 'sum' },
    window: { type: 'rolling', seconds: 86_400 },
    conditions: [transaction('chain_id', 'eq', `${chain.id}`)],
  }
}

function nativeCaps(chain: Chain, role: AgentRole): readonly ProviderCondition[] {
  const wei = (amount: string): string => `${parseUnits(amount, chain.nativeCurrency.decimals)}`
  const { nativePerTransaction, nativeDaily } = roleTemplates[role]
  return [
    transaction('value', 'lte', wei(nativePerTransaction)),
    {
      field_source: 'reference',
      field: `aggregation.${aggregationOf(chain)}`,
      operator: 'lte',
      value: wei(nativeDaily),
    },
  ]
}

function aggregationOf({ id }: Chain): string {
  return `native-24h-${id}`
}

function signing(chain: Chain, what: string, conditions: readonly ProviderCondition[]): ProviderRule {
  return {
    name: `${chain.id} ${what}`,
    method: 'eth_signTransaction',
    action: 'ALLOW',
    conditions: [transaction('chain_id', 'eq', `${chain.id}`), ...conditions],
  }
}

function transaction(
  field: 'to' | 'value' | 'chain_id',
  operator: 'eq' | 'lte' | 'in',
  value: string | string[],
): ProviderCondition {
  const checksummed = typeof value === 'string' ? addressed(value) : value.map(addressed)
  return { field_source: 'ethereum_transaction', field, operator, value: checksummed }
}

/** The functions of an ABI and no others: a contract that is a token or an NFT has more than are meant here. */
function functions(abi: Abi): ProviderCondition {
  const changing = abi.filter(
    (item) => item.type === 'function' && item.stateMutability !== 'view' && item.stateMutability !== 'pure',
  )
  const names = changing.flatMap((item) => ('name' in item && item.name !== undefined ? [item.name] : []))
  return calldata(changing, 'function_name', 'in', [...new Set(names)])
}

function calldata(
  abi: Abi,
  field: string,
  operator: 'in' | 'lte',
  value: string | readonly string[],
): ProviderCondition {
  return {
    field_source: 'ethereum_calldata',
    abi: abi.flatMap((item) => (item.type === 'function' ? [{ ...item }] : [])),
    field,
    operator,
    value: typeof value === 'string' ? value : value.map(addressed),
  }
}

function addressed(value: string): string {
  return isAddress(value, { strict: false }) ? getAddress(value) : value
}

function only(abi: Abi, names: readonly string[]): Abi {
  return abi.filter((item) => item.type === 'function' && names.includes(item.name))
}

function isPayable(surface: Surface): boolean {
  return surfaceAbi(surface).some((item) => item.type === 'function' && item.stateMutability === 'payable')
}

/** The largest amount that does not mean "unlimited" to Permit2; the same bound as the server's own. */
const largestApproval = 2n ** 160n - 2n

/** What the server enforces and the provider's rules cannot say, in the order of what it would cost to believe otherwise. */
function notExpressed(policy: Policy, chains: readonly Chain[]): readonly string[] {
  const named = chains.flatMap(({ id }) =>
    (policy.contracts[id] ?? []).flatMap((entry) => (typeof entry === 'string' ? [] : [`${id}:${entry.address}`])),
  )
  const { perTransaction, perSession, daily } = policy.limitsUsd
  return [
    `limitsUsd (${perTransaction} / ${perSession} / ${daily} USD): the provider knows no prices. Native currency is capped in its own units by the template; token amounts are not capped.`,
    'simulation: what a transaction really moves is seen by the server alone.',
    'recipients: where a swap, a position or fees go stands in nested calldata that the rules cannot read (multicall, v4 actions, router commands).',
    'exact approvals: a rule bounds an approval below "unlimited"; that it is the amount of one call, and taken back after it, is kept by the server.',
    'signed orders: what one sells, what it falls to and whom it pays stand in lists that the rules do not look into; the server holds every member of permit and witness against the call.',
    'Permit2 expiry (30 minutes): a rule compares with fixed numbers, not with the time of the signature.',
    `slippageBps.cap (${policy.slippageBps.cap}) and deadlineSeconds.cap (${policy.deadlineSeconds.cap}): not in the fields of the rules.`,
    `approvalThresholdUsd (${policy.approvalThresholdUsd ?? 'no amount needs a person'}), delaySeconds, breaker, pause: decisions of the server; the provider signs at once.`,
    'principals: the provider sees one signing key, not who called.',
    ...(named.length === 0
      ? []
      : [`selectors of ${named.join(', ')}: a rule names functions by an ABI, which the policy does not have.`]),
    'the 24-hour cap of native currency is counted after each signature, so signatures at the same moment can pass it together; the server reserves before it signs.',
    'signing of raw hashes is no method that a rule can name: no rule allows it, and the server never asks for it.',
    'the owner of the provider policy must be a key that this host does not hold, or whoever takes the host can lift it.',
  ]
}
