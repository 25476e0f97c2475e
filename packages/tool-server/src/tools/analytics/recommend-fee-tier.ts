import type { Chain } from '@svc/wallet/core'
import * as z from 'zod'
import {
  comparedPools,
  type FeeTiers,
  notionalUsd,
  quoteOf,
  readFeeTiers,
  type TierVolatility,
} from '../../analysis/fees/read-fee-tiers.ts'
import { type Token, tokenLabel } from '@svc/amm'
import { documented } from '../../analysis/figures.ts'
import { readTool } from '../../tool.ts'
import type { ReadContext } from '../../tool-context.ts'
import { noPool } from '../named-pool.ts'
import { chainInput, requireDifferentTokens, tokenInput } from '../params.ts'
import { blockResult, blockStamp, notesResult, usdResult } from '../results.ts'
import { formatTiers } from '../format-tiers.ts'

const rateResult = z.number().nullable()

export const recommendFeeTier = readTool({
  name: 'recommend_fee_tier',
  title: 'Recommend a fee tier',
  description:
    'Compares the fee tiers of a pair by what 10000 USD would have earned there in 30 days: fees with own liquidity diluted, less LVR and doubt of thin pools. Yields in percent a year; annualized 0.8 is 80 %.',
  scope: 'read:market',
  input: z.strictObject({ token0: tokenInput, token1: tokenInput, chain: chainInput }),
  output: z.object({
    pair: z.string(),
    chain: blockResult.chain,
    recommendation: z.object({
      feeTier: z.int(),
      confidence: z.string(),
      reason: z.string(),
      leadApr: rateResult.describe('Its netApr over the next'),
      leadErrorsApr: rateResult.describe('What errors explain of leadApr'),
      isLeadClear: z.boolean().nullable(),
      leadAprLow95: documented(rateResult),
      leadAprLow68: documented(rateResult),
      leadAprHigh68: documented(rateResult),
      leadAprHigh95: documented(rateResult),
      pool: z.string(),
    }),
    analysis: z.object({
      pairVolatility: z.object({
        annualized: rateResult,
        classification: z.string().nullable(),
        note: z.string(),
        standardError: rateResult,
        annualizedLow95: documented(rateResult),
        annualizedLow68: documented(rateResult),
        annualizedHigh68: documented(rateResult),
        annualizedHigh95: documented(rateResult),
      }),
      // Each with the fees, the LVR and the quiet days that its netApr is made of, and feeUncertaintyPct.
      volumeDistribution: z.array(
        z.looseObject({
          feeTier: z.int(),
          volumePct: rateResult,
          tvlUsd: usdResult,
          feeApy7d: rateResult,
          netApr: z.number(),
          netAprError: z.number(),
          version: z.string(),
          isEstimate: z.boolean(),
        }),
      ),
      competitiveLandscape: z.object({ otherDexVolumePct: rateResult, note: z.string() }),
    }),
    timestamp: blockResult.timestamp,
    source: blockResult.source,
    blockNumber: blockResult.blockNumber,
    blockAgeSeconds: blockResult.blockAgeSeconds,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const token0 = await context.tokens.resolve(chain, input.token0, 'token0')
  const token1 = await context.tokens.resolve(chain, input.token1, 'token1')
  requireDifferentTokens(chain, token0, token1, 'token1')
  const { pools, quote, leftOut } = await poolsByTier(context, chain, token0, token1)
  const found = await readFeeTiers(context, { chain, pools, quote, nowMs: context.now() })
  const [first, ...others] = found.tiers
  if (first === undefined) throw new TypeError('every pool is a tier')
  const volatility = found.volatility && { ...found.volatility, note: volatilityNote(found, found.volatility) }
  const reported = formatTiers([first, ...others], { volatility, notionalUsd }, ({ pool, history }) => ({
    version: pool.version,
    isEstimate: history.isEstimate,
    source: history.source,
  }))
  return {
    pair: `${tokenLabel(token0)}/${tokenLabel(token1)}`,
    ...blockStamp(chain, context, first.pool.blockNumber, first.history.source),
    recommendation: { ...reported.recommendation, pool: reported.chosen.pool.id },
    analysis: {
      pairVolatility: reported.pairVolatility,
      volumeDistribution: reported.volumeDistribution,
      competitiveLandscape: { otherDexVolumePct: null, note: landscapeNote(leftOut) },
    },
    notes: [...reported.notes, ...notesOf(found)],
  }
})

/** The pools that are compared, in which token money counts, and how many other pools of the pair there are. Throws `NO_POOLS`. */
async function poolsByTier(context: ReadContext, chain: Chain, token0: Token, token1: Token) {
  const all = await context.liquidity.findPools(chain, token0, token1)
  const pools = comparedPools(all)
  const [first] = pools
  if (first === undefined) {
    const wanted = 'pool with a fee tier and without hooks'
    const lookedFor = { chain, tokens: [token0, token1], wanted, versions: ['v3', 'v4'], field: 'token1' } as const
    throw noPool('NO_POOLS', lookedFor, all)
  }
  return { pools, quote: quoteOf(first), leftOut: all.length - pools.length }
}

function volatilityNote({ busiest }: FeeTiers, { realised, hours }: TierVolatility): string {
  const sample = realised === null ? '' : `; sample deviation of all ${(realised * 100).toFixed(1)} %`
  return `EWMA, 0.94 a day, of ${hours} hourly closes of the ${busiest.fee / 10_000} % pool, the busiest${sample}. optimize_lp_range takes the same, in a range by riskTolerance, and takes off gas: its net yield is another.`
}

function landscapeNote(leftOut: number): string {
  const [pools, are] = leftOut === 1 ? ['pool', 'is'] : ['pools', 'are']
  const others = `${leftOut} more ${pools} of this pair here (v2, with a hook, or of a fee that a deeper one has) ${are} not compared.`
  return `No source of the volume on other exchanges is read: otherDexVolumePct is not known.${leftOut === 0 ? '' : ` ${others}`}`
}

function notesOf({ tiers, isPriced }: FeeTiers): string[] {
  const completeness = tiers.flatMap(({ feeTier, history }) =>
    history.completeness.note === null ? [] : [`${feeTier / 10_000} %: ${history.completeness.note}`],
  )
  const contradictions = tiers
    .filter(({ isContradictory }) => isContradictory)
    .map(
      ({ feeTier }) =>
        `${feeTier / 10_000} %: what the pool holds is not known, as its ticks contradict its liquidity.`,
    )
  return [
    ...(isPriced ? [] : ['No trustworthy USD price: the amount is taken to be too small to matter.']),
    ...completeness,
    ...contradictions,
  ]
}
