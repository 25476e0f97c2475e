import { type Intent, ToolError } from '@svc/amm'
import { callAnswer } from '@svc/amm/rpc'
import type { PublicClient } from 'viem'

/**
 * Asks the chain again for what a plan rests on. Writes of a wallet run one after the other, so whatever an earlier one
 * did shows here, before anything is signed. Throws `SIMULATION_DRIFT` and `RPC_*`.
 */
export async function requireUnchanged({ restsOn = [] }: Intent, client: PublicClient): Promise<void> {
  const now = await Promise.all(restsOn.map((read) => callAnswer(client, read)))
  const changed = restsOn.filter(({ answer }, index) => now[index]?.toLowerCase() !== answer.toLowerCase())
  if (changed.length === 0) return
  const message = 'What the call was planned on has changed meanwhile. Nothing was signed.'
  throw new ToolError('SIMULATION_DRIFT', message, {
    details: changed.map(({ to }) => ({ message: 'the contract answers otherwise now', contract: to })),
  })
}
