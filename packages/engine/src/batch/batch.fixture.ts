import type { Devnet } from '@svc/devnet'
import { type Address, createTestClient, http, parseUnits, zeroAddress } from 'viem'
import type { AtomicRouteName, Intent, IntentCall, Settled } from '@svc/amm'
import { approvalOf, swapIntent, type SwapChange } from '../fixtures/intents.fixture.ts'
import type { Pipeline } from '../fixtures/open-pipeline.fixture.ts'
import { devnetPolicy } from '../policy/policy.ts'

/** The policy of the local chain, with what the wallet may delegate to. */
export function naming(devnet: Devnet, delegate: Address = devnet.batchDelegate): ReturnType<typeof devnetPolicy> {
  return { ...devnetPolicy({ batchDelegate: { [devnet.chainId]: delegate } }), unnamedSales: 'allow' }
}

export async function runBatch(pipeline: Pipeline, intent: Intent): Promise<Settled> {
  const settled = await pipeline.run(intent)
  if ('status' in settled) throw new Error(`not carried out: ${settled.status}`)
  return settled
}

/** Swaps of USDC, each of `amount`, and whatever else, as one. */
export function batchOf(
  pipeline: Pipeline,
  swaps: readonly SwapChange[],
  more: readonly IntentCall[] = [],
  amount = '100',
  atomicity: AtomicRouteName = 'batch-7702',
): Intent {
  const intents = swaps.map((change) => swapIntent(pipeline, amount, change))
  const each = parseUnits(amount, 6)
  const sent = more.reduce((sum, { valueWei }) => sum + valueWei, 0n)
  return {
    ...intents[0]!,
    atomicity,
    calls: [...intents.flatMap(({ calls }) => calls), ...more],
    spends: [...intents.flatMap(({ spends }) => spends), ...(sent > 0n ? [{ token: zeroAddress, amount: sent }] : [])],
    receives: intents.flatMap(({ receives }) => receives),
    approvals: [approvalOf(pipeline.token('USDC'), pipeline.chain.amm.v3!.swapRouter02, each * BigInt(swaps.length))],
  }
}

export function nodeOf({ rpcUrl }: Devnet) {
  return createTestClient({ mode: 'anvil', transport: http(rpcUrl) })
}

/** Nobody's address. */
export const thief: Address = '0x00000000000000000000000000000000000071ef'
