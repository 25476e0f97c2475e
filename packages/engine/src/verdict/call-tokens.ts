import type { Intent, Token } from '@svc/amm'
import { suspectAdvice } from '@svc/amm/tokens'
import type { Chain } from '@svc/wallet/core'
import { type Address, getAddress, zeroAddress } from 'viem'
import { isAtDestination } from '../call/amounts.ts'
import type { Engine } from '../context/engine.ts'
import type { KnownContracts } from '../calldata/known-contracts.ts'
import type { Simulation } from '../simulation/simulation.ts'
import { pairDepth } from '../value/pair-worth.ts'
import type { PricedTokens } from '../value/spend-value.ts'
import type { CallBounds } from '../calldata/call-bounds.ts'
import { listedAmong, pooledTokens, type PolicyContext, type PolicyVerdict, tokensOf } from './policy-verdict.ts'

/** What a person should know of tokens that a lenient policy lets pass. */
export function unlistedWarnings({ unlistedTokens }: Pick<PolicyVerdict, 'unlistedTokens'>): readonly string[] {
  return unlistedTokens.map(
    (token) =>
      `The policy does not list the token ${getAddress(token)} (so tokenAllowlistPassed is false, which a strict allowlist alone refuses): nothing vouches for it, and selling it may need a person's approval.`,
  )
}

/**
 * What a person should know first, and decides, of a call that puts money into unlisted tokens whose own text is made to mislead: it
 * trades for one, deposits into a pool of one, or brings one or shares of its pair, or of a pair of such shares. The money is gone then, and nobody but a person knows
 * whether this very token was meant. None of a call that only brings funds home, nor of what positions pay out beside a deposit.
 */
export function suspectWarnings(context: SuspectContext): readonly string[] {
  const { chain, known, intent, callBounds, priced, simulation, value, policyTokens } = context
  if (value.isExit) return []
  const sidesOf = (token: string, depth = pairDepth): readonly string[] => {
    const sides = priced.get(token.toLowerCase())?.pair?.sides.map((side) => side.token) ?? []
    return depth === 0 ? [] : [...sides, ...sides.flatMap((side) => sidesOf(side, depth - 1))]
  }
  const apart = simulation.inspected.positions.flatMap(({ pool }) => [pool.token0, pool.token1])
  const paidOut = lowerCase([...apart, ...intent.spends.flatMap(({ token }) => sidesOf(token))])
  const brought = intent.receives.map(({ token }) => token).filter((token) => !paidOut.has(token.toLowerCase()))
  const traded = callBounds.flatMap(({ trades, orders }) => [...trades, ...orders].map(({ tokenOut }) => tokenOut))
  const named = [...brought, ...traded.filter((token) => !isAtDestination(token)), ...pooledTokens(intent)]
  return [...lowerCase([...named, ...named.flatMap((token) => sidesOf(token))])].flatMap((token) => {
    const entry = priced.get(token)
    return entry === undefined || known.tokens.has(token) ? [] : (suspectAdvice(entry.token, chain, policyTokens) ?? [])
  })
}

function lowerCase(tokens: readonly string[]): ReadonlySet<string> {
  return new Set(tokens.map((token) => token.toLowerCase()))
}

/**
 * What the text of unlisted tokens is held against, read where some are among the given ones; `null` where it cannot be, for a token of the
 * policy that does not answer keeps no call from going on.
 */
export async function policyTokensBeside(
  tokens: readonly Address[],
  { engine, chain, known }: Pick<SuspectContext, 'chain' | 'known'> & { readonly engine: Pick<Engine, 'tokens'> },
): Promise<readonly Token[] | null> {
  if (tokens.every((token) => token === zeroAddress || known.tokens.has(token.toLowerCase()))) return []
  return engine.tokens.listedByPolicy(chain).catch(() => null)
}

/** The same of any tokens, whatever is done with them, in the order given. */
export async function adviceAgainst(
  tokens: readonly Address[],
  { chain, known, tokenOf, policyTokensOf }: AdviceContext,
): Promise<readonly string[]> {
  const isListed = listedAmong(tokens, chain, known)
  const unlisted = tokens.filter((token) => !isListed(token))
  if (unlisted.length === 0) return []
  const [policyTokens, ...facts] = await Promise.all([
    policyTokensOf().catch(() => []),
    ...unlisted.map((token) => tokenOf(token).catch(() => null)),
  ] as const)
  return facts.flatMap((token) => (token === null ? [] : (suspectAdvice(token, chain, policyTokens) ?? [])))
}

type AdviceContext = Pick<PolicyContext, 'chain' | 'known'> & {
  readonly tokenOf: (token: Address) => Promise<Token>
  readonly policyTokensOf: () => Promise<readonly Token[]>
}

type SuspectContext = {
  readonly chain: Chain
  readonly known: Pick<KnownContracts, 'tokens'>
  readonly intent: Pick<Intent, 'spends' | 'receives' | 'deposits'>
  readonly callBounds: readonly Pick<CallBounds, 'trades' | 'orders'>[]
  readonly priced: PricedTokens
  /** What the policy lists beside the chain's own; `null` where it could not be read. */
  readonly policyTokens: readonly Token[] | null
  readonly simulation: Pick<Simulation, 'inspected'>
  readonly value: { readonly isExit: boolean }
}

/** The tokens of an intent, and those of the pools that its calls trade in or deposit into. */
export function tokensToPrice({ intent, callBounds }: NamedAndCalled): readonly Address[] {
  return [...tokensOf(intent), ...tokensInCalls(callBounds)]
}

/** Listed tokens of the positions that are taken from: one whose pool is beyond its range pays, and names, one of the two alone. */
export function tokensGivenUp({ inspected }: Pick<Simulation, 'inspected'>, chain: Chain): readonly Address[] {
  const lessened = inspected.positions.filter(({ liquidityBefore, liquidityAfter }) => liquidityAfter < liquidityBefore)
  const tokens = new Set(lessened.flatMap(({ pool }) => [pool.token0.toLowerCase(), pool.token1.toLowerCase()]))
  return chain.tokens.map(({ address }) => address).filter((address) => tokens.has(address.toLowerCase()))
}

/** Those that the calldata trades, deposits or orders, whatever the intent says of them. */
function tokensInCalls(calls: readonly CallBounds[]): readonly Address[] {
  return calls.flatMap(({ trades, deposits, orders }) => {
    const traded = [...trades, ...orders].flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])
    const deposited = deposits.flatMap(({ pool }) => (pool === null ? [] : [pool.token0, pool.token1]))
    return [...traded, ...deposited].filter((token) => !isAtDestination(token)).map((token) => getAddress(token))
  })
}

/** The ERC-20 tokens an intent names, each once. */
export function declaredTokens(intent: Intent): readonly Address[] {
  return tokensOnce(tokensOf(intent))
}

/** Those, and what its calldata trades or deposits: a simulation without logs sees no others. */
export function measuredTokens({ intent, callBounds }: NamedAndCalled): readonly Address[] {
  return tokensOnce([...tokensOf(intent), ...tokensInCalls(callBounds)])
}

function tokensOnce(tokens: readonly Address[]): readonly Address[] {
  const named = tokens.filter((token) => token !== zeroAddress)
  return [...new Map(named.map((token) => [token.toLowerCase(), token])).values()]
}

type NamedAndCalled = { readonly intent: Intent; readonly callBounds: readonly CallBounds[] }
