import { chainAccess, type Config } from '@svc/tool-server'
import { budgetNames, openReads, type Policy, weighIntent, type WeighedIntent } from '@svc/engine/policy'
import type { Chain } from '@svc/wallet/core'
import type { Address } from 'viem'
import type { OpenOperations } from '../approvals/open-operations.ts'
import type { PlanQuestion } from './read-plan.ts'

/** Weighs a plan at the newest block of its chain, at the prices that the server would count with. */
export async function weighPlan(question: PlanQuestion, place: WeighingPlace): Promise<WeighedIntent> {
  const { config, chain, policy, wallet, store } = place
  const recall = store?.sightings.recall
  // The server alone writes down what it saw.
  const memory = recall === undefined ? null : { recall, keep: () => {} }
  const { rpc, tokens, prices } = openReads(chainAccess(config), { memory, policy: () => policy })
  return weighIntent(question, { chain, policy, wallet, rpc, tokens, prices, now: Date.now })
}

export type WeighingPlace = {
  readonly config: Config
  readonly chain: Chain
  readonly policy: Policy
  readonly wallet: Address
  /** The server's state; `null` where there is none. */
  readonly store: Pick<OpenOperations, 'sightings' | 'budgetUsage'> | null
}

/** What counts of the budgets of value already: of those that every call asks, and of those of this call. */
export async function budgetsUsed(
  store: WeighingPlace['store'],
  weighed: WeighedIntent | null,
): Promise<ReadonlyMap<string, bigint>> {
  if (store === null) return new Map()
  const asked = weighed?.status === 'weighed' ? weighed.budgets.map(({ name }) => name) : []
  const names = [...new Set([...Object.values(budgetNames), ...asked])]
  return new Map(await Promise.all(names.map(async (name) => [name, await store.budgetUsage(name)] as const)))
}
