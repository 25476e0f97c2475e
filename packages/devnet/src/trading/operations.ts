import type { Chain } from '@svc/wallet/core'
import { encodeFunctionData, type Hex, parseAbi } from 'viem'
import type * as z from 'zod'
import { buildClaimRewards, operatorData } from './build-claim-rewards.ts'
import { buildClaim, buildDecrease, type BuiltCall, type CallTerms } from './build-call.ts'
import { buildMigrate, permitToo } from './build-migrate.ts'
import { claimBody, claimRewardsBody, decreaseBody, migrateBody } from './requests.ts'
import type { Sdks } from './sdks.ts'
import { thief } from './trading-tricks.ts'

/** The routes of the trading API that the stand-in answers. */
export const operations: Readonly<Record<string, Operation>> = {
  'POST /v1/lp/claim': operation({
    member: 'claim',
    form: claimBody,
    build: ({ sdks, chain }, body, terms) => buildClaim(sdks, chain, body, terms),
    givesAway: positionToo,
  }),
  'POST /v1/lp/decrease': operation({
    member: 'decrease',
    form: decreaseBody,
    build: ({ sdks, chain }, body, terms) => buildDecrease(sdks, chain, body, terms),
    givesAway: positionToo,
  }),
  'POST /v1/lp/migrate': operation({
    member: 'migrate',
    form: migrateBody,
    build: ({ sdks, chain }, body, terms) => buildMigrate(sdks, chain, body, terms),
    givesAway: (data, { tokenId }) => permitToo(data, tokenId, thief),
  }),
  'POST /v1/lp/claim_rewards': operation({
    member: 'claim',
    form: claimRewardsBody,
    build: ({ chain, rpcUrl }, body, terms) => buildClaimRewards(chain, rpcUrl, body, terms),
    givesAway: (_data, { walletAddress }) => operatorData(walletAddress, thief),
  }),
}

export type Operation = {
  /** Of the answer: holds the transaction. */
  readonly member: string
  readonly read: (content: unknown) => AskedCall | { readonly problem: string }
}

/** What transactions are built with. */
export type BuildingFor = {
  readonly sdks: Sdks
  readonly chain: Chain
  /** Of the chain; `null` where it is not read. */
  readonly rpcUrl: string | null
}

type AskedCall = {
  readonly body: Asked
  /** `null` where there is nothing of what is asked for. */
  readonly build: (world: BuildingFor, terms: CallTerms) => Promise<BuiltCall | null>
  /** The calldata, and beside it or in its place a right for the thief. */
  readonly givesAway: (data: Hex) => Hex
}

/** What every request says. */
type Asked = { readonly chainId: number; readonly walletAddress: string }

type Facts<Body extends Asked> = {
  readonly member: string
  readonly form: z.ZodType<Body>
  readonly build: (world: BuildingFor, body: Body, terms: CallTerms) => BuiltCall | null | Promise<BuiltCall | null>
  readonly givesAway: (data: Hex, body: Body) => Hex
}

function operation<Body extends Asked>({ member, form, build, givesAway }: Facts<Body>): Operation {
  return {
    member,
    read: (content) => {
      const read = form.safeParse(content)
      if (!read.success) return { problem: read.error.issues[0]?.message ?? '' }
      return {
        body: read.data,
        build: async (world, terms) => build(world, read.data, terms),
        givesAway: (data) => givesAway(data, read.data),
      }
    },
  }
}

/** Beside what was asked for, the position itself is handed to somebody. Both position managers take such a list. */
function positionToo(data: Hex, { tokenId }: { readonly tokenId: number }): Hex {
  const approval = encodeFunctionData({ abi, functionName: 'approve', args: [thief, BigInt(tokenId)] })
  return encodeFunctionData({ abi, functionName: 'multicall', args: [[data, approval]] })
}

const abi = parseAbi([
  'function approve(address to, uint256 tokenId)',
  'function multicall(bytes[] data) payable returns (bytes[] results)',
])
