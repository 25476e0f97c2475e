import { type Address, isAddressEqual, zeroAddress } from 'viem'
import type { ErrorDetail, Intent, IntentDeposit } from '@svc/amm'
import { priceDrift } from '@svc/amm/liquidity'
import type { GivenRight } from '../simulation/asset-changes.ts'
import type { ExpectedTokens } from './policy-verdict.ts'
import { isAtDestination, sumByToken } from '../call/amounts.ts'
import type { Refusal } from '../call/refusal.ts'
import type { Simulation } from '../simulation/simulation.ts'
import type { PositionFacts, SimulatedDeposit } from '../simulation/simulated-deposits.ts'

/**
 * Holds what a simulation did against what the intent declares: nothing leaves that is not declared or more than
 * declared, nothing less arrives, nothing stays with a router, no foreign position is changed, no token comes in exchange
 * that nobody named, no NFT goes to somebody, no right is given that is not declared, every deposit is the declared one.
 */
export function assertDeclared(intent: Intent, simulation: Simulation, context: DeclaredContext): readonly Refusal[] {
  return [
    ...outflows(intent, simulation),
    ...inflows(intent, simulation, context),
    ...strangeInflows(simulation, context),
    ...kept(simulation),
    ...foreignPositions(simulation),
    ...simulatedDepositRefusals(intent, simulation.deposits),
    ...emptyRemoval(intent, simulation, context),
    ...nfts(simulation, context),
    ...rights(intent, simulation, context),
    ...leftovers(simulation, context),
  ]
}

export type DeclaredContext = {
  readonly permit2: Address
  readonly positionManagers: ReadonlySet<string>
  /** Whether the policy's list of tokens is strict. */
  readonly isStrict: boolean
  readonly expected: ExpectedTokens
  readonly removesLiquidity: boolean
  /** It trades and deposits nothing, and pays the wallet alone. */
  readonly mayBringHome: () => boolean
  readonly isWallet: (address: Address) => boolean
  /** In the order of the simulation's leftovers. */
  readonly allowances: readonly { readonly token: Address; readonly amount: bigint; readonly revokeAfter: boolean }[]
}

function outflows(intent: Intent, { deltas }: Simulation): readonly Refusal[] {
  const declared = sumByToken(intent.spends)
  return [...deltas].flatMap(([token, delta]) => {
    const most = declared.get(token)
    if (delta >= 0n || (most !== undefined && -delta <= most)) return []
    const message =
      most === undefined
        ? 'A token would leave the wallet that the call does not declare.'
        : 'More would leave the wallet than the call declares.'
    return [unsafe(message, { token, leaves: `${-delta}`, declared: `${most ?? 0n}` })]
  })
}

function inflows(intent: Intent, { deltas }: Simulation, { mayBringHome }: DeclaredContext): readonly Refusal[] {
  return [...sumByToken(intent.receives)].flatMap(([token, least]) => {
    const arrives = deltas.get(token) ?? 0n
    if (arrives >= least) return []
    const details = { token, arrives: `${arrives}`, declared: `${least}` }
    const refusal = unsafe('Less would arrive than the call declares.', details)
    return [mayBringHome() ? { ...refusal, suggestion: taxed } : refusal]
  })
}

const taxed =
  'A token may keep a part of what it moves. remove_liquidity with slippageBps 10000 declares no least amounts.'

/**
 * What a call that spends brings home must be named or listed, or a worthless token could be bought unnoticed. With a call
 * that spends nothing anything may come: what is sent unasked is nobody's purchase.
 */
function strangeInflows({ deltas }: Simulation, { isStrict, expected }: DeclaredContext): readonly Refusal[] {
  if ([...deltas.values()].every((delta) => delta >= 0n)) return []
  // What arrives on another chain is held against its order by itself.
  const strange = [...deltas].flatMap(([token, delta]) =>
    delta > 0n && !isAtDestination(token) && !expected.isListed(token) ? [token] : [],
  )
  if (isStrict) return strange.map(unlisted)
  return strange
    .filter((token) => !expected.isNamed(token))
    .map((token) => unsafe('A token would arrive that the call does not declare.', { token }))
}

function kept(simulation: Simulation): readonly Refusal[] {
  return simulation.kept.map(({ contract, token, amount }) =>
    unsafe('A token would stay in the called contract, where anybody can take it.', {
      token,
      contract,
      stays: `${amount}`,
    }),
  )
}

/** Whoever owns a position gets what goes into it, whoever pays. */
function foreignPositions(simulation: Simulation): readonly Refusal[] {
  return simulation.foreignPositions.map(({ contract, id }) => ({
    code: 'RECIPIENT_NOT_ALLOWED',
    message: 'The call would change a position that the wallet does not own.',
    details: [{ message: 'the position', contract, positionId: `${id}` }],
  }))
}

/**
 * What is freed must come home: nothing at all arriving is a loss whatever the intent declares. What goes into another position of the
 * wallet has come home, also to the last unit.
 */
function emptyRemoval(
  { recipients }: Intent,
  { deltas, deposits }: Simulation,
  { removesLiquidity, isWallet }: DeclaredContext,
): readonly Refusal[] {
  const arrives =
    [...deltas.values()].some((delta) => delta > 0n) || deposits.some(({ declared }) => isWallet(declared.recipient))
  if (!removesLiquidity || arrives || !recipients.every(isWallet)) return []
  return [unsafe('Liquidity would be removed and none of its tokens arrive.', {})]
}

function nfts({ leftNfts }: Simulation, { positionManagers }: DeclaredContext): readonly Refusal[] {
  const given = leftNfts.filter(
    ({ token, to }) => to === null || to !== zeroAddress || !positionManagers.has(token.toLowerCase()),
  )
  return given.map(({ token }) => unsafe('An NFT would leave the wallet.', { token }))
}

function rights(intent: Intent, simulation: Simulation, { permit2 }: DeclaredContext): readonly Refusal[] {
  const { permit } = intent
  // It ends with the position, which the calldata takes apart: the policy holds both against each other.
  const isPermitted = (right: GivenRight): boolean =>
    permit !== undefined &&
    right.amount === null &&
    right.tokenId === permit.tokenId &&
    isAddressEqual(right.contract, permit.positionManager) &&
    isAddressEqual(right.spender, permit.spender)
  const isDeclared = (right: GivenRight): boolean =>
    right.amount !== null &&
    intent.approvals.some(({ token, spender, via, amount }) => {
      const through = right.by === 'token' && via === 'permit2' ? permit2 : spender
      const isSame = isAddressEqual(token, right.token) && isAddressEqual(through, right.spender)
      const isSpender = right.by === 'token' || (via === 'permit2' && isAddressEqual(right.contract, permit2))
      // One ERC-20 allowance of Permit2 may serve several declared approvals; its sum is held against the leftovers.
      return isSame && isSpender && (through === permit2 || (right.amount ?? 0n) <= amount)
    })
  return simulation.rights
    .filter((right) => !isDeclared(right) && !isPermitted(right))
    .map(({ token, spender }) => unsafe('The call would give a right that it does not declare.', { token, spender }))
}

function leftovers(simulation: Simulation, { allowances }: DeclaredContext): readonly Refusal[] {
  return allowances.flatMap(({ token, amount, revokeAfter }, index) => {
    const left = simulation.leftovers[index] ?? 0n
    if (left <= amount && (revokeAfter || left === amount)) return []
    return [
      unsafe('An allowance would stand that is not the declared one.', {
        token,
        left: `${left}`,
        declared: `${amount}`,
      }),
    ]
  })
}

function unsafe(message: string, facts: Readonly<Record<string, string>>): Refusal {
  return { code: 'UNSAFE_TRANSACTION', message, details: [{ message: 'the simulation shows it', ...facts }] }
}

function unlisted(token: string): Refusal {
  return {
    code: 'TOKEN_NOT_ALLOWLISTED',
    message: 'The policy is strict and does not list a token that would arrive.',
    details: [{ message: 'not listed', token }],
  }
}

/**
 * Holds what a simulation shows of deposits against what the intent declares: a position that grows is of the declared pool
 * and range, a pool is created only where that is declared, at the declared price, and every other has a price within the
 * slippage of the one it was planned at.
 */
function simulatedDepositRefusals(
  { slippageBps }: Pick<Intent, 'slippageBps'>,
  deposits: readonly SimulatedDeposit[],
): readonly Refusal[] {
  return deposits.flatMap((shown) => [
    ...positionRefusals(shown),
    ...(shown.declared.createsPool
      ? creationRefusals(shown)
      : priceRefusals(shown, shown.declared.slippageBps ?? slippageBps ?? 0)),
  ])
}

function positionRefusals({ declared, position }: SimulatedDeposit): readonly Refusal[] {
  if (declared.kind === 'mint') return []
  const details = position === null ? [{ message: 'There is no such position.' }] : differences(declared, position)
  if (details.length === 0) return []
  return [refuseDeposit('The position is not of the pool and range that the call declares.', details)]
}

function differences(declared: IntentDeposit, position: PositionFacts): readonly ErrorDetail[] {
  const ticks = ({ tickLower, tickUpper }: PositionFacts) => `${tickLower}..${tickUpper}`
  const rows = [
    ['token0', declared.token0, position.token0],
    ['token1', declared.token1, position.token1],
    ['fee', `${declared.fee}`, `${position.fee}`],
    ['tick spacing', `${declared.tickSpacing}`, `${position.tickSpacing}`],
    ['hooks', `${declared.hooks}`, `${position.hooks}`],
    ['ticks', ticks(declared), ticks(position)],
  ] as const
  return rows
    .filter(([, one, other]) => one.toLowerCase() !== other.toLowerCase())
    .map(([what, one, other]) => ({ message: `Differs: ${what}.`, declared: one, chain: other }))
}

/** Somebody may create it first: then what is declared of its price does not hold, and another plan is needed. */
function creationRefusals({ declared, priceBefore, priceAfter }: SimulatedDeposit): readonly Refusal[] {
  const detailsOf = (now: bigint | null) => [
    {
      message: 'sqrt price, Q64.96',
      pool: declared.pool,
      planned: `${declared.sqrtPriceX96}`,
      now: `${now ?? 'none'}`,
    },
  ]
  if (priceBefore !== null) {
    return [drift('The pool that the call would create has been created meanwhile.', detailsOf(priceBefore))]
  }
  // What a pair has for a price once a token has taken its fee is not to the unit that of the amounts.
  if (declared.version === 'v2' || priceAfter === declared.sqrtPriceX96) return []
  return [refuseDeposit('The pool would be created at another price than the call declares.', detailsOf(priceAfter))]
}

function priceRefusals(
  { declared, priceBefore, priceAfter }: SimulatedDeposit,
  slippageBps: number,
): readonly Refusal[] {
  if (priceBefore === null) {
    const details = [{ message: 'the pool', pool: declared.pool }]
    return [refuseDeposit('The call would create a pool, which it does not declare.', details)]
  }
  // Rounding moves the price of a pair with each deposit.
  const prices = declared.version === 'v2' ? [priceBefore] : [priceBefore, priceAfter]
  const details = prices
    .map((price) => priceDrift(declared, price, slippageBps, null))
    .find((found) => found.length > 0)
  return details === undefined ? [] : [drift('The price of the pool is not the one that was planned with.', details)]
}

function refuseDeposit(message: string, details: readonly ErrorDetail[]): Refusal {
  return { code: 'UNSAFE_TRANSACTION', message, details }
}

function drift(message: string, details: readonly ErrorDetail[]): Refusal {
  return { code: 'SIMULATION_DRIFT', message, details }
}
