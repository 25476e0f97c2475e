import type { Intent, Position } from '@svc/amm'
import { readGasPrice, typicalGas } from '../analysis/read-gas-price.ts'
import type { WriteContext } from '../tool.ts'
import type { PlannedSwap } from './consolidate.ts'
import type { CollectedFees, DoneSwap, HarvestBook, HarvestRequest } from './harvest-book.ts'

/** What a harvest would do and cost, at the present block and prices; nothing of it has a transaction. */
export type HarvestPreview = {
  readonly collected: readonly Expected<CollectedFees>[]
  readonly swaps: readonly Expected<DoneSwap>[]
  readonly skipped: number
  readonly gasCostUsd: number | null
  readonly notes: readonly string[]
}

type Expected<Done> = Omit<Done, 'hash'> & { readonly hash: null }

/** Gas of collections is asked of the chain in the owner's name, that of swaps is the quote's with what approvals take. */
export async function previewHarvest(
  request: HarvestRequest,
  context: WriteContext,
  {
    book,
    due,
    swaps,
  }: { readonly book: HarvestBook; readonly due: readonly Position[]; readonly swaps: readonly PlannedSwap[] },
): Promise<Omit<HarvestPreview, 'skipped'>> {
  const failed = new Set(book.failures.flatMap(({ positions = [] }) => positions))
  const payable = due.filter((position) => !failed.has(position))
  const [gasPrice, collectGas] = await Promise.all([
    readGasPrice(context, request.chain),
    gasOfCollections(request, context, payable),
  ])
  const swapGas = swaps.reduce((sum, { quote, intent }) => sum + quote.gasEstimate + approvalGas(intent), 0n)
  return {
    collected: payable.map((position) => ({ position, hash: null, fees0: position.fees0, fees1: position.fees1 })),
    swaps: swaps.map(({ quote, tokenIn, tokenOut }) => {
      const { amountIn, amountOut, priceImpactBps } = quote
      return { hash: null, tokenIn, tokenOut, amountIn, amountOut, priceImpactBps }
    }),
    gasCostUsd: gasPrice.costUsd(collectGas + swapGas),
    notes: [
      ...book.notes,
      ...[...failed].map(
        ({ version, positionId }) => `${version} position ${positionId} pays nothing out and is left out.`,
      ),
    ],
  }
}

async function gasOfCollections(
  { chain, owner, deadline }: HarvestRequest,
  { liquidity, rpc }: WriteContext,
  positions: readonly Position[],
): Promise<bigint> {
  const batches = (['v3', 'v4'] as const).map((version) => positions.filter((one) => one.version === version))
  const client = rpc.client(chain)
  const gas = await Promise.all(
    batches
      .filter(({ length }) => length > 0)
      .map(async (batch) => {
        const { calls } = await liquidity.planCollectAll(chain, batch, { deadline, recipient: owner })
        const asked = await Promise.all(
          calls.map(({ to, data }) => estimated(() => client.estimateGas({ account: owner, to, data }))),
        )
        return asked.every((one) => one !== null)
          ? asked.reduce<bigint>((sum, one) => sum + (one ?? 0n), 0n)
          : typicalGas.collect * BigInt(batch.length)
      }),
  )
  return gas.reduce((sum, one) => sum + one, 0n)
}

/** `null` where the endpoint does not say. */
async function estimated(ask: () => Promise<bigint>): Promise<bigint | null> {
  return ask().catch(() => null)
}

/** An approval and its end are some 46,000 and 26,000; Permit2 takes one more. */
function approvalGas({ approvals }: Intent): bigint {
  const permits = approvals.filter(({ via }) => via === 'permit2').length
  return BigInt(approvals.length) * 72_000n + BigInt(permits) * 47_000n
}
