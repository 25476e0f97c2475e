import type { Hash } from 'viem'
import type { Trip } from './engine.ts'
import { planHash } from './plan-hash.ts'

/** The hash of what a trip is about to do. */
export function tripHash({ call, intent, wallet }: Pick<Trip, 'call' | 'intent' | 'wallet'>): Hash {
  return planHash({ principalId: call.principal.id, tool: call.tool, input: call.input, wallet, intent })
}
