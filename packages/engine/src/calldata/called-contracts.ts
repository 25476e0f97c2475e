import type { Address } from 'viem'
import type { Intent } from '@svc/amm'
import type { KnownContracts } from './known-contracts.ts'
import type { Surface } from './call-recipients.ts'
import type { CalledDeposit } from './deposit-pool.ts'

/**
 * What the calls of an intent touch of the AMM: routers and position managers, which must keep nothing, and positions,
 * which must be the wallet's; and the deposits they make, as declared. Contracts that the operator lists, TWAMM hooks, vaults, settlers of cross-chain
 * orders and wrapped native currency are there to keep things.
 */
export function calledContracts(intent: Intent, known: KnownContracts): CalledContracts {
  const contracts = new Map<string, Address>()
  const positions = new Map<string, CalledContracts['positions'][number]>()
  const payees = new Map<string, Address>()
  const deposits: CalledDeposit[] = []
  let removesLiquidity = false
  for (const call of intent.calls) {
    const { to } = call
    const surface = known.surfaces.get(to.toLowerCase())
    if (surface === undefined || surface === 'listed' || keeping.has(surface)) continue
    contracts.set(to.toLowerCase(), to)
    const reading = known.readCall(surface, call)
    for (const id of reading?.positionIds ?? []) positions.set(`${to.toLowerCase()} ${id}`, { contract: to, id })
    for (const manager of reading?.nested?.managers ?? []) contracts.set(manager.toLowerCase(), manager)
    for (const one of reading?.nested?.positions ?? []) positions.set(`${one.contract.toLowerCase()} ${one.id}`, one)
    for (const payee of reading?.recipients ?? []) {
      if (known.recipients.has(payee.toLowerCase())) payees.set(payee.toLowerCase(), payee)
    }
    removesLiquidity ||= reading?.removesLiquidity === true
    for (const _made of reading?.deposits ?? []) {
      // In the order of the calls, or the policy refuses the intent.
      const declared = intent.deposits?.[deposits.length]
      if (declared !== undefined) deposits.push({ call, declared, reads: known.depositReads(to, declared) })
    }
  }
  return {
    contracts: [...contracts.values()],
    positions: [...positions.values()],
    payees: [...payees.values()],
    removesLiquidity,
    deposits,
  }
}

const keeping: ReadonlySet<Surface> = new Set(['wrappedNative', 'twammHook', 'vault', 'permit2', 'crossChainSettler'])

export type CalledContracts = {
  readonly contracts: readonly Address[]
  readonly positions: readonly { readonly contract: Address; readonly id: bigint }[]
  /** Whom the calldata pays beside the wallet, of those the operator lists. */
  readonly payees: readonly Address[]
  readonly removesLiquidity: boolean
  readonly deposits: readonly CalledDeposit[]
}
