import { type Intent, type IntentApproval, type IntentCall, isBatch } from '@svc/amm'
import type { Policy } from '../policy/policy.ts'
import type { Refusal } from '../call/refusal.ts'
import type { Chain } from '@svc/wallet/core'
import { type Address, getAddress, slice, zeroAddress } from 'viem'
import { depositRefusals } from '../calldata/declared-deposits.ts'
import type { KnownContracts } from '../calldata/known-contracts.ts'
import { mayBringHome } from '../value/way-home.ts'
import { crossChainRefusals, orderRefusals, permitRefusals, vaultRefusals } from './intent-refusals.ts'
import { readBounds } from '../calldata/call-bounds.ts'
import { pairShares } from '../value/pair-worth.ts'

/**
 * Holds an intent against the operator's policy: contracts and what they are called with, deposits, recipients, spenders,
 * slippage cap, deadline cap, tokens. Reads nothing but its arguments. The allowlist's verdict is recorded in either mode; only
 * strict mode makes it a refusal.
 */
export function policyVerdict(intent: Intent, context: PolicyContext): PolicyVerdict {
  const unlisted = unlistedTokens(intent, context)
  const strict = context.policy.allowlist.mode === 'strict'
  return {
    tokenAllowlistPassed: unlisted.length === 0,
    unlistedTokens: [...new Set(unlisted)],
    refusals: [
      ...checkShape(intent),
      ...intent.calls.flatMap((call) => checkCall(call, intent, context)),
      ...depositRefusals(intent, context),
      ...permitRefusals(intent, context),
      ...hookRefusals(intent, context.policy),
      ...orderPoolRefusals(intent, context),
      ...vaultRefusals(intent, context),
      ...orderRefusals(intent, context),
      ...crossChainRefusals(intent, context),
      ...checkRecipients(intent.recipients, 'The intent', context),
      ...intent.approvals.flatMap((approval) => checkApproval(approval, context)),
      ...checkSlippage(intent, context),
      ...(intent.deadline === null ? [] : checkDeadline(BigInt(intent.deadline), context)),
      ...(strict && unlisted.length > 0 ? [refuseTokens(unlisted)] : []),
    ],
  }
}

export type PolicyContext = {
  readonly chain: Chain
  readonly policy: Policy
  readonly known: KnownContracts
  readonly wallet: Address
  /** Unix seconds: the later of our clock and the newest block's. */
  readonly nowSeconds: number
}

export type PolicyVerdict = {
  readonly refusals: readonly Refusal[]
  readonly tokenAllowlistPassed: boolean
  /** Those of the intent's tokens that the policy does not list. */
  readonly unlistedTokens: readonly Address[]
}

/**
 * Every token an intent names, native currency included; of a deposit both of the pool's, for what is put in as one token
 * comes out as the other when the price has crossed the range.
 */
export function tokensOf(intent: Intent): readonly Address[] {
  const { spends, receives, approvals } = intent
  return [...[...spends, ...receives, ...approvals].map(({ token }) => token), ...pooledTokens(intent)]
}

export function pooledTokens({ deposits = [] }: Pick<Intent, 'deposits'>): readonly Address[] {
  return deposits.flatMap(({ token0, token1 }) => [token0, token1])
}

/** Tells whether a token may arrive with a call that spends: the intent names it, or the policy lists it. */
export function expectedTokens(intent: Intent, chain: Chain, known: KnownContracts): ExpectedTokens {
  const named = new Set(tokensOf(intent).map((token) => token.toLowerCase()))
  const isListed = listedAmong([...tokensOf(intent), ...chain.tokens.map(({ address }) => address)], chain, known)
  return { isListed, isNamed: (token) => named.has(token.toLowerCase()) }
}

export type ExpectedTokens = {
  readonly isListed: (token: string) => boolean
  readonly isNamed: (token: string) => boolean
}

function checkShape(intent: Intent): readonly Refusal[] {
  const unsafe = (message: string): Refusal => ({ code: 'UNSAFE_TRANSACTION', message })
  if (intent.calls.length > 1 && intent.atomicity !== 'sequential' && !isBatch(intent)) {
    return [unsafe('Several calls claim to be one transaction.')]
  }
  if (isBatch(intent) && intent.approvals.some(({ revokeAfter }) => !revokeAfter)) {
    return [unsafe('A batch would leave an allowance.')]
  }
  const isApproval = intent.approvals.length > 0 && intent.approvals.every(({ revokeAfter }) => !revokeAfter)
  return intent.calls.length > 0 || isApproval || intent.order !== undefined
    ? []
    : [unsafe('The intent holds no call.')]
}

function checkCall(call: IntentCall, intent: Intent, context: PolicyContext): readonly Refusal[] {
  const surface = context.known.surfaces.get(call.to.toLowerCase())
  const refuse = (message: string): readonly Refusal[] => [
    { code: 'CONTRACT_NOT_ALLOWED', message, details: [{ message: 'the call', contract: call.to, label: call.label }] },
  ]
  if (surface === undefined) return refuse('A call goes to a contract the policy does not know.')
  const isToken = tokensOf(intent).some((token) => token.toLowerCase() === call.to.toLowerCase())
  if (isToken && surface !== 'wrappedNative' && surface !== 'vault') return refuse('A call goes to a token itself.')
  if (surface === 'listed') {
    const moves = call.data.length >= 10 && movesTokens.has(slice(call.data, 0, 4))
    if (moves) return refuse('A call to a listed contract would move tokens or approve somebody directly.')
    return isListedFunction(call, context) ? [] : refuse('The policy does not list this function of the contract.')
  }
  const reading = context.known.readCall(surface, call)
  if (reading === null) return refuse('A call holds something the policy does not know.')
  // What an order earns, and what shares of a vault bring, is paid out by a later call, which only their owner can make.
  const isOwnersAlone = surface === 'twammHook' || surface === 'vault'
  const known = isOwnersAlone ? { ...context.known, recipients: new Set<string>() } : context.known
  return [
    ...checkRecipients(reading.recipients, `The call "${call.label}"`, { ...context, known }),
    ...reading.deadlines.flatMap((deadline) => checkDeadline(deadline, context)),
  ]
}

/** Plain transfers of native currency have no selector, so a list of functions leaves them out. */
function isListedFunction({ to, data }: IntentCall, { known }: PolicyContext): boolean {
  const selectors = known.selectors.get(to.toLowerCase())
  if (selectors === undefined) return true
  const selector = data.length >= 10 ? slice(data, 0, 4) : null
  return selector !== null && [...selectors].some((listed) => listed === selector.toLowerCase())
}

function checkRecipients(
  recipients: readonly Address[],
  where: string,
  { known, wallet }: PolicyContext,
): readonly Refusal[] {
  const strangers = recipients.filter(
    (recipient) => recipient.toLowerCase() !== wallet.toLowerCase() && !known.recipients.has(recipient.toLowerCase()),
  )
  return strangers.map((recipient) => ({
    code: 'RECIPIENT_NOT_ALLOWED',
    message: `${where} would pay somebody other than the wallet.`,
    details: [{ message: 'not the wallet and not listed', recipient }],
  }))
}

function checkApproval(
  { token, spender, amount, via }: IntentApproval,
  { chain, known }: PolicyContext,
): readonly Refusal[] {
  const details = [{ message: 'the approval', token, spender }]
  const isPermit2 = (address: string) => address.toLowerCase() === chain.permit2.toLowerCase()
  if (!known.spenders.has(spender.toLowerCase()) || (via === 'permit2' && isPermit2(spender))) {
    const message = 'An approval names a spender the policy does not know.'
    const allowed = [...known.spenders].filter(([address]) => via !== 'permit2' || !isPermit2(address))
    const accepted = allowed.map(([address, what]) => `${getAddress(address)} (${what})`)
    return [{ code: 'SPENDER_NOT_ALLOWED', message, details: [{ message: 'the approval', token, spender, accepted }] }]
  }
  if (token === zeroAddress) {
    return [{ code: 'UNSAFE_TRANSACTION', message: 'Native currency cannot be approved.', details }]
  }
  if (amount < 0n || amount > maxApproval) {
    return [{ code: 'UNSAFE_TRANSACTION', message: 'Unlimited approvals are not made.', details }]
  }
  return []
}

/**
 * What only brings funds home has no cap: a position pays what it holds at any price, which is worth the least where nobody
 * has pushed its pool, and who pushes it past the minimums of every removal would keep its owner from leaving.
 */
function checkSlippage(intent: Intent, context: PolicyContext): readonly Refusal[] {
  const { slippageBps } = intent
  const { policy } = context
  if (slippageBps === null || slippageBps <= policy.slippageBps.cap || mayBringHome({ intent, ...context })) return []
  const message = `Slippage of ${slippageBps} bps is above the cap of ${policy.slippageBps.cap} bps.`
  return [{ code: 'SLIPPAGE_TOO_HIGH', message, details: [{ field: 'slippageBps', message }] }]
}

function checkDeadline(deadline: bigint, { policy, nowSeconds }: PolicyContext): readonly Refusal[] {
  if (deadline <= BigInt(nowSeconds + policy.deadlineSeconds.cap)) return []
  const message = `The deadline is further away than the cap of ${policy.deadlineSeconds.cap} seconds.`
  return [{ code: 'DEADLINE_TOO_LONG', message }]
}

function unlistedTokens(intent: Intent, { chain, known }: PolicyContext): readonly Address[] {
  const tokens = tokensOf(intent)
  const listed = listedAmong(tokens, chain, known)
  return tokens.filter((token) => !listed(token))
}

/** Listed tokens, native currency, and shares of pairs of both that are among the given ones. */
export function listedAmong(
  tokens: readonly Address[],
  chain: Chain,
  known: KnownContracts,
): (token: string) => boolean {
  let pairs: ReturnType<typeof pairShares> | null = null
  // Their addresses are hashes, two for each pair of tokens: computed once something is not listed by itself.
  const isShare = (token: string): boolean => {
    pairs ??= pairShares(chain, tokens)
    return pairs.get(token.toLowerCase())?.every(isListed) === true
  }
  const isListed = (token: string): boolean => token === zeroAddress || known.tokens.has(token.toLowerCase())
  return (token) => isListed(token) || isShare(token)
}

function refuseTokens(unlisted: readonly Address[]): Refusal {
  return {
    code: 'TOKEN_NOT_ALLOWLISTED',
    message: 'The policy is strict and does not list every token of this call.',
    details: [...new Set(unlisted)].map((token) => ({ message: 'not listed', token })),
  }
}

/** The largest amount Permit2 can hold; what is above is meant as "unlimited". */
const maxApproval = 2n ** 160n - 2n

/** Selectors by which a token, an NFT or Permit2 moves value or gives a right to. */
const movesTokens = new Set<string>([
  '0x095ea7b3', // approve(address,uint256)
  '0x39509351', // increaseAllowance(address,uint256)
  '0xa9059cbb', // transfer(address,uint256)
  '0x23b872dd', // transferFrom(address,address,uint256)
  '0x42842e0e', // safeTransferFrom(address,address,uint256)
  '0xb88d4fde', // safeTransferFrom(address,address,uint256,bytes)
  '0xf242432a', // safeTransferFrom(address,address,uint256,uint256,bytes)
  '0x2eb2c2d6', // safeBatchTransferFrom(address,address,uint256[],uint256[],bytes)
  '0xa22cb465', // setApprovalForAll(address,bool)
  '0xd505accf', // permit(address,address,uint256,uint256,uint8,bytes32,bytes32)
  '0x8fcbaf0c', // permit(address,address,uint256,uint256,bool,uint8,bytes32,bytes32)
  '0x87517c45', // approve(address,address,uint160,uint48)
  '0x36c78516', // transferFrom(address,address,uint160,address)
])

/**
 * Refuses deposits into pools whose hook is asked when liquidity is removed: it may say no for ever, so that what is put in
 * is worth what its author asks for it, whatever the price. So is one that changes what is taken or given back. A pool that the operator's own rules name may have one.
 */
function hookRefusals(
  { chainId, deposits = [] }: Pick<Intent, 'chainId' | 'deposits'>,
  policy: Policy,
): readonly Refusal[] {
  const vouched = new Set(Object.keys(policy.valueRules.pools[`${chainId}`] ?? {}).map((id) => id.toLowerCase()))
  return deposits.flatMap(({ hooks, pool }): readonly Refusal[] => {
    if (hooks === null || (BigInt(hooks) & keepingFlags) === 0n || vouched.has(pool.toLowerCase())) return []
    const message = 'The hook of this pool is asked before liquidity is given back, and may keep it.'
    return [
      {
        code: 'HOOK_NOT_SUPPORTED',
        message,
        details: [{ message: 'the hook', hooks, pool }],
        suggestion: 'Use a pool without a hook, or have the operator name this one in valueRules.pools of the policy.',
      },
    ]
  })
}

/**
 * Refuses orders to be sold over time in pools that the operator does not name. How deep such a pool is when the order is placed says
 * nothing of later: whoever can take its liquidity away buys what is left of the order for nothing.
 */
function orderPoolRefusals(intent: Intent, { chain, known }: PolicyContext): readonly Refusal[] {
  if (intent.calls.every(({ to }) => known.surfaces.get(to.toLowerCase()) !== 'twammHook')) return []
  const orders = readBounds(intent, chain, known).bounds.flatMap((call) => call.orders)
  return orders.flatMap(({ pool }): readonly Refusal[] => {
    if (known.twammPools.has(pool.id)) return []
    const message = 'The policy does not name this pool for orders that are sold over time.'
    return [{ code: 'NO_TWAMM_HOOK', message, details: [{ message: 'the pool', pool: pool.id }] }]
  })
}

/**
 * beforeRemoveLiquidity and afterRemoveLiquidity, and deltas returned after adding and removing: bits 9, 8, 1 and 0 of the
 * hook's address (v4-core Hooks library).
 */
const keepingFlags = 0x303n
