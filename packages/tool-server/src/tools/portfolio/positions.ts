import * as z from 'zod'
import { describePosition } from '../../analysis/position/describe-position.ts'
import { readTool } from '../../tool.ts'
import { positionOfAny, pricesAlongside } from '../own-position.ts'
import {
  chainInput,
  positionIdInput,
  rangedVersionInput,
  addressInput,
  anyVersionInput,
  cursorInput,
  limitInput,
  requireAddress,
  tokenInput,
} from '../params.ts'
import { blockResult, blockStamp, notesResult, positionResult, pageOf, usdResult, tokenAmount } from '../results.ts'
import { sumUsd, valueUsd } from '../../analysis/value-usd.ts'
import type { Chain } from '@svc/wallet/core'
import { type ClaimableReward, type Token, tokenLabel, ToolError } from '@svc/amm'
import { printableText } from '@svc/amm/tokens'
import type { ReadContext } from '../../tool-context.ts'

export const getPosition = readTool({
  name: 'get_position',
  title: 'Liquidity position',
  description:
    "One v3 or v4 position: owner, range, amounts it would pay out now, fees that wait, value. In the pool's token order. get_positions_by_owner finds ids and v2 shares.",
  scope: 'read:portfolio',
  input: z.strictObject({
    positionId: positionIdInput,
    chain: chainInput,
    version: rangedVersionInput.optional().describe("Else the wallet's"),
  }),
  output: z.object({ ...blockResult, ...positionResult, notes: notesResult }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const position = await positionOfAny(chain, input, context, pricesAlongside(chain, context))
  const described = await describePosition(context, chain, position)
  return {
    ...blockStamp(chain, context, position.pool.blockNumber),
    ...described,
    notes: [
      ...(described.isClosed ? ['The position is closed: all its liquidity was taken out.'] : []),
      ...(described.valueUsd === null ? ['A token of the pool has no trustworthy USD price.'] : []),
    ],
  }
})

export const getPositionsByOwner = readTool({
  name: 'get_positions_by_owner',
  title: 'Positions of an owner',
  description:
    'Liquidity positions of an address, by default the agent wallet, as get_position shows them, v2 shares too, with totals; closed ones if asked.',
  scope: 'read:portfolio',
  input: z.strictObject({
    owner: addressInput.optional().describe('Default: the agent wallet'),
    chain: chainInput,
    versions: z.array(anyVersionInput).min(1).max(3).default(['v2', 'v3', 'v4']),
    includeClosed: z.boolean().default(false),
    limit: limitInput,
    cursor: cursorInput,
  }),
  output: z.object({
    ...blockResult,
    owner: z.string(),
    items: z.array(z.object(positionResult)),
    totals: z.object({ positions: z.int(), valueUsd: usdResult, feesUsd: usdResult }),
    nextCursor: z.string().nullable(),
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const owner = requireAddress(input.owner, context.agentAddress, 'owner')
  const versions = [...new Set(input.versions)]
  const found = await context.liquidity.positionsByOwner(chain, owner, versions, pricesAlongside(chain, context))
  const head = await context.rpc.head(chain)
  const kept = found.items.filter(
    (position) =>
      input.includeClosed ||
      position.version === 'v2' ||
      position.liquidity > 0n ||
      position.fees0 > 0n ||
      position.fees1 > 0n,
  )
  const all = await Promise.all(kept.map((position) => describePosition(context, chain, position)))
  const page = pageOf(all, input.limit, input.cursor)
  return {
    ...blockStamp(chain, context, head.number),
    owner,
    items: page.items,
    totals: {
      positions: all.length,
      valueUsd: sumUsd(...all.map((position) => position.valueUsd)),
      feesUsd: sumUsd(...all.map((position) => position.feesUsd)),
    },
    nextCursor: page.nextCursor,
    notes: found.complete ? [] : ['Older v3 and v4 positions may be missing; get_position shows one by its id.'],
  }
})

const rewardResult = z.object({
  token: z.string(),
  symbol: z.string(),
  amount: z.string().describe('A claim pays it now'),
  amountUsd: usdResult,
  pending: z.string().describe("The service's word alone"),
  doubt: z.string().nullable().describe('Why it is not counted'),
  sources: z.array(z.object({ reason: z.string(), campaignId: z.string() })),
})

export const getClaimableRewards = readTool({
  name: 'get_claimable_rewards',
  title: 'Claimable rewards',
  description:
    'What incentive campaigns owe a wallet: amounts that a claim would pay now, by public proofs held against the distributor on chain, and what is pending. Claims nothing. Reasons are text of strangers.',
  scope: 'read:portfolio',
  input: z.strictObject({
    chain: chainInput,
    wallet: addressInput.optional().describe('Default: the agent wallet'),
    tokens: z.array(tokenInput).max(50).default([]).describe('Only these'),
  }),
  output: z.object({
    ...blockResult,
    wallet: z.string(),
    distributor: z.string(),
    root: z.string(),
    rewards: z.array(rewardResult),
    totalUsd: usdResult,
    notes: notesResult,
  }),
}).handler(async (input, context) => {
  const chain = context.chains.get(input.chain)
  const wallet = requireAddress(input.wallet, context.agentAddress, 'wallet')
  const asked = await Promise.all(
    input.tokens.map((token, index) => context.tokens.resolve(chain, token, `tokens.${index}`)),
  )
  const { signal } = context
  const { distributor, root, blockNumber, rewards } = await context.rewards.claimable({ chain, wallet, signal })
  const wanted = new Set(asked.map(({ address }) => address))
  const due = rewards.filter((reward) => (wanted.size > 0 ? wanted.has(reward.token) : isOwed(reward)))
  const rows = await Promise.all(due.slice(0, mostShown).map((reward) => rowOf(reward, chain, context)))
  const known = rows.filter((row) => row !== null)
  const { cannotClaim } = context.rewards
  return {
    ...blockStamp(chain, context, blockNumber),
    wallet,
    distributor,
    root,
    rewards: known.map(({ reward, token, amountUsd }) => ({
      token: token.address,
      symbol: token.symbol,
      amount: tokenAmount(reward.claimable, token),
      amountUsd,
      pending: tokenAmount(reward.pending, token),
      doubt: reward.doubt,
      sources: reward.sources.map(({ reason, campaignId }) => ({
        reason: printableText(reason),
        campaignId: printableText(campaignId, 66),
      })),
    })),
    totalUsd: sumUsd(...known.map(({ amountUsd }) => amountUsd).filter((usd) => usd !== null)),
    notes: [
      ...known.flatMap(noteOf),
      ...missingNotes(
        asked,
        known.map(({ token }) => token),
      ),
      ...(cannotClaim !== null && known.some(({ reward }) => reward.claimable > 0n) ? [noClaims[cannotClaim]] : []),
      ...(known.length < rows.length ? ['A reward in a contract that is no token is left out.'] : []),
      ...(due.length > mostShown ? [`The first ${mostShown} are shown; name others in tokens.`] : []),
    ],
  }
})

const noClaims = {
  key: 'This server can show these and cannot claim them: claim_lp_rewards needs the key of a trading API, which its operator has not set (SVC_TRADING_API_KEY).',
  dialect:
    'This server can show these and cannot claim them: the dialect of the trading API that its operator has set (SVC_TRADING_API_DIALECT lp) builds no claims; v1 does.',
}

/** Each may cost the search for a price. */
const mostShown = 30

type Row = { readonly reward: ClaimableReward; readonly token: Token; readonly amountUsd: number | null }

function isOwed({ claimable, pending, doubt }: ClaimableReward): boolean {
  return claimable > 0n || pending > 0n || doubt !== null
}

/** `null` for what is no token. */
async function rowOf(reward: ClaimableReward, chain: Chain, context: ReadContext): Promise<Row | null> {
  const token = await context.tokens.byAddress(chain, reward.token).catch(unlessNoToken)
  if (token === null) return null
  if (reward.claimable === 0n) return { reward, token, amountUsd: 0 }
  return { reward, token, amountUsd: valueUsd(reward.claimable, token, await context.prices.usd(chain, token)) }
}

function unlessNoToken(error: unknown): null {
  if (error instanceof ToolError && error.code === 'TOKEN_NOT_FOUND') return null
  throw error
}

function noteOf({ reward: { doubt }, token, amountUsd }: Row): readonly string[] {
  const label = tokenLabel(token)
  if (doubt === 'recipient')
    return [`The service says that the reward in ${label} is for another account: not counted.`]
  if (doubt === 'proof') {
    return [`The proof for ${label} does not hold under the root in force: not counted. Call again in a few minutes.`]
  }
  return amountUsd === null ? [`No trustworthy USD price for ${label}: totalUsd leaves it out.`] : []
}

function missingNotes(asked: readonly Token[], found: readonly Token[]): readonly string[] {
  const addresses = new Set(found.map(({ address }) => address))
  return asked.filter(({ address }) => !addresses.has(address)).map((token) => `No reward in ${tokenLabel(token)}.`)
}
