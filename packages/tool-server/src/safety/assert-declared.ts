import { type Address, isAddressEqual, zeroAddress } from 'viem'
import type { Intent } from '../intent.ts'
import type { GivenRight } from './asset-changes.ts'
import type { Refusal } from './refusal.ts'
import type { Simulation } from './simulation.ts'

/**
 * Holds what a simulation did against what the intent declares: nothing leaves that is not declared or more than
 * declared, nothing less arrives, no NFT goes to somebody, no right is given that is not declared.
 */
export function assertDeclared(intent: Intent, simulation: Simulation, context: DeclaredContext): readonly Refusal[] {
  return [
    ...outflows(intent, simulation),
    ...inflows(intent, simulation),
    ...nfts(simulation, context),
    ...rights(intent, simulation, context),
    ...leftovers(simulation, context),
  ]
}

export type DeclaredContext = {
  readonly permit2: Address
  readonly positionManagers: ReadonlySet<string>
  /** In the order of the simulation's leftovers. */
  readonly allowances: readonly { readonly token: Address; readonly amount: bigint; readonly revokeAfter: boolean }[]
}

/** Sums declared quantities by lower-case token. */
export function sumByToken(quantities: Intent['spends']): ReadonlyMap<string, bigint> {
  const sums = new Map<string, bigint>()
  for (const { token, amount } of quantities) {
    const key = token.toLowerCase()
    sums.set(key, (sums.get(key) ?? 0n) + amount)
  }
  return sums
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

function inflows(intent: Intent, { deltas }: Simulation): readonly Refusal[] {
  return [...sumByToken(intent.receives)].flatMap(([token, least]) => {
    const arrives = deltas.get(token) ?? 0n
    if (arrives >= least) return []
    return [unsafe('Less would arrive than the call declares.', { token, arrives: `${arrives}`, declared: `${least}` })]
  })
}

function nfts({ leftNfts }: Simulation, { positionManagers }: DeclaredContext): readonly Refusal[] {
  const given = leftNfts.filter(
    ({ token, to }) => to === null || to !== zeroAddress || !positionManagers.has(token.toLowerCase()),
  )
  return given.map(({ token }) => unsafe('An NFT would leave the wallet.', { token }))
}

function rights(intent: Intent, simulation: Simulation, { permit2 }: DeclaredContext): readonly Refusal[] {
  const isDeclared = (right: GivenRight): boolean =>
    right.amount !== null &&
    intent.approvals.some(({ token, spender, via, amount }) => {
      const through = right.by === 'token' && via === 'permit2' ? permit2 : spender
      const isSame = isAddressEqual(token, right.token) && isAddressEqual(through, right.spender)
      const isRoad = right.by === 'token' || (via === 'permit2' && isAddressEqual(right.contract, permit2))
      // One ERC-20 allowance of Permit2 may serve several declared approvals; its sum is held against the leftovers.
      return isSame && isRoad && (through === permit2 || (right.amount ?? 0n) <= amount)
    })
  return simulation.rights
    .filter((right) => !isDeclared(right))
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
