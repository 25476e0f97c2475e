import type { Hash } from 'viem'
import type { ExecutionContext } from '../context/engine.ts'
import { planHash } from './plan-hash.ts'
import { type ShownContext, shownOf } from './plan-shown.ts'
import type { TokenContext } from '../spending/token-facts.ts'

/** The hash of what a call is about to do, with what a person is shown of it. */
export function shownPlanHash(
  context: Pick<ExecutionContext, 'call' | 'intent' | 'wallet'> & Pick<ShownContext, 'value'> & TokenContext,
): Hash {
  const { call, intent, wallet } = context
  const { principal, tool, input } = call
  return planHash({ principalId: principal.id, tool, input, wallet, intent, shown: shownOf(context) })
}
