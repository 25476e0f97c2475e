import type { Chain } from '@svc/wallet/core'
import { isAddressEqual, isAddress } from 'viem'
import {
  type Alongside,
  type BlockTime,
  type Position,
  type Token,
  tokenLabel,
  ToolError,
  type UsdPrice,
  type PairShare,
} from '@svc/amm'
import type { ReadContext, WriteContext } from '../tool-context.ts'
import {
  invalidField,
  anyVersionInput,
  deadlineInput,
  exitSlippageInput,
  isPositionId,
  numberWithin,
} from './params.ts'
import * as z from 'zod'
import { refuseClosed } from '@svc/amm/liquidity'

/**
 * A position of the agent wallet. Ids of v3 and v4 are counted apart, so where the wallet holds the id in the other version
 * only, the error says so.
 *
 * @throws ToolError `POSITION_NOT_OWNED` when it belongs to somebody else, `POSITION_NOT_FOUND`, and as the read does.
 */
export async function ownPosition(
  chain: Chain,
  { version, positionId }: PositionKey,
  context: OwnPositionContext,
  alongside?: Alongside,
): Promise<Position> {
  const owned = await readOwned(chain, { version, positionId }, context, alongside)
  if (!(owned instanceof ToolError)) return owned
  const other = ({ v3: 'v4', v4: 'v3' } as const)[version]
  const inOther = await readOwned(chain, { version: other, positionId }, context).catch(() => null)
  if (inOther === null || inOther instanceof ToolError) throw owned
  throw new ToolError(owned.code, `${owned.message} The agent wallet holds the ${other} position ${positionId}.`, {
    suggestion: `Call again with version ${other}.`,
    details: [{ field: 'version', message: 'The id is of the other version.', accepted: other }],
  })
}

/**
 * A position of whoever owns it. Without a version it is the one that the agent wallet holds, else that of v3, else that of v4: ids of the
 * two are counted apart, and a small one is taken in both.
 *
 * @throws ToolError `VALIDATION_FAILED` naming both where the wallet holds the id in both versions, `POSITION_NOT_FOUND`, and as the read does.
 */
export async function positionOfAny(
  chain: Chain,
  { version, positionId }: { readonly version?: PositionKey['version'] | undefined; readonly positionId: string },
  { liquidity, agentAddress }: Pick<ReadContext, 'liquidity' | 'agentAddress'>,
  alongside?: Alongside,
): Promise<Position> {
  if (version !== undefined) return liquidity.position(chain, version, positionId, { alongside })
  const read = await Promise.allSettled(
    (['v3', 'v4'] as const).map((each) => liquidity.position(chain, each, positionId, { alongside })),
  )
  const found = read.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  const own = found.filter(({ owner }) => agentAddress !== null && isAddressEqual(owner, agentAddress))
  if (own.length > 1) {
    const accepted = own.map(({ version: each, pool }) => `${each} (${pairLabel(pool, '/')})`).join(' or ')
    throw invalidField('version', 'The agent wallet holds this id in both versions.', accepted)
  }
  const failures = read.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  const unknown = failures.find((error) => !(error instanceof ToolError && absent.has(error.code)))
  const [position] = own.length > 0 || unknown === undefined ? [...own, ...found] : []
  if (position === undefined) throw unknown ?? inNeither(failures[0], chain)
  return position
}

const absent: ReadonlySet<string> = new Set(['POSITION_NOT_FOUND', 'VERSION_NOT_DEPLOYED'])

/** The refusal of one version, saying that the id was looked for in both. */
function inNeither(error: unknown, { name }: Chain): unknown {
  if (!(error instanceof ToolError)) return error
  const { code, suggestion, details } = error
  return new ToolError(
    code,
    `No v3 or v4 position with this id stands on ${name}; one that was burnt, as migrate_position does, cannot be read any more.`,
    { suggestion, details },
  )
}

function pairLabel({ token0, token1 }: Position['pool'], between: string): string {
  return [token0, token1].map(tokenLabel).join(between)
}

/**
 * One of the agent wallet, and the prices in US dollars of the pool's tokens at its block, which are asked for in the exchange that reads the state.
 *
 * @throws as `ownPosition` does, and as the prices do.
 */
export async function ownPricedPosition(
  chain: Chain,
  key: PositionKey,
  context: OwnPositionContext & Pick<WriteContext, 'prices'>,
): Promise<Priced<Position>> {
  return priced(chain, context, (alongside) => ownPosition(chain, key, context, alongside))
}

/**
 * Begins to read the prices of the tokens of what is being read, in the exchange that reads its state. Whoever asks for them later in the
 * answer finds them there; a failure is his to hear of.
 */
export function pricesAlongside(chain: Chain, { prices }: Pick<ReadContext, 'prices'>): Alongside {
  return (tokens, at) => {
    for (const token of tokens) void prices.usd(chain, token, at).catch(() => undefined)
  }
}

/** Reads what is of two tokens, and meanwhile their prices at its block. */
export async function priced<Held extends Pick<Position, 'pool'>>(
  chain: Chain,
  { prices }: Pick<WriteContext, 'prices'>,
  read: (alongside: Alongside) => Promise<Held>,
): Promise<Priced<Held>> {
  const pricesAt = (pair: readonly [Token, Token], at?: BlockTime) =>
    Promise.all([prices.usd(chain, pair[0], at), prices.usd(chain, pair[1], at)])
  const asked: { readonly at: BlockTime; readonly answers: ReturnType<typeof pricesAt> }[] = []
  const held = await read((tokens, at) => {
    const answers = pricesAt(tokens, at)
    // Where the position cannot be read either, that is what the caller hears of.
    answers.catch(() => undefined)
    asked.push({ at, answers })
  })
  const { token0, token1 } = held.pool
  const [{ at, answers } = { at: undefined, answers: pricesAt([token0, token1]) }] = asked
  const [price0, price1] = await answers
  return { held, price0, price1, at }
}

type Priced<Held> = {
  readonly held: Held
  readonly price0: UsdPrice | null
  readonly price1: UsdPrice | null
  /** The block of both, where the reading said. */
  readonly at: BlockTime | undefined
}

/**
 * Whether a token is the pool's second. In v3 the native currency stands for its wrapped token. Throws `VALIDATION_FAILED`
 * where the position is of another pair.
 */
export function isSecondToken(token: Token, { pool, version }: Position, wrapped: Token): boolean {
  const { address } = token.isNative && version === 'v3' ? wrapped : token
  if (address === pool.token0.address) return false
  if (address === pool.token1.address) return true
  throw invalidField('token0', 'This position is of other tokens.', pairLabel(pool, ' or '))
}

type PositionKey = { readonly version: 'v3' | 'v4'; readonly positionId: string }

type OwnPositionContext = Pick<WriteContext, 'liquidity' | 'wallet'>

/** Answers the error, instead of throwing it, where the wallet does not hold the position. */
async function readOwned(
  chain: Chain,
  { version, positionId }: PositionKey,
  { liquidity, wallet }: OwnPositionContext,
  alongside?: Alongside,
): Promise<Position | ToolError> {
  try {
    const position = await liquidity.position(chain, version, positionId, { alongside })
    if (isAddressEqual(position.owner, wallet.address)) return position
    return new ToolError('POSITION_NOT_OWNED', `The ${version} position ${positionId} belongs to ${position.owner}.`)
  } catch (error) {
    if (error instanceof ToolError && error.code === 'POSITION_NOT_FOUND') return error
    throw error
  }
}

/** What a removal is asked for with, beside position and chain: by itself, and inside a batch. */
export const removeParams = {
  percentage: numberWithin(1, 100, 'a number from 1 to 100').default(100),
  version: anyVersionInput.default('v3'),
  collectFees: z.boolean().default(true),
  slippageBps: exitSlippageInput,
  deadlineSeconds: deadlineInput,
}

/** What is wrong with the id of what is taken out of; `null` where nothing is. */
export function removableIdProblem({ positionId, version }: RemovableKey): string | null {
  const isRight = version === 'v2' ? isAddress(positionId) : isPositionId(positionId)
  if (isRight) return null
  if (version === 'v2') return 'Accepted: the address of the pair'
  const accepted = `Accepted: the decimal id of a ${version} position`
  return isAddress(positionId)
    ? `${accepted}. For shares of the pair at this address call again with version v2`
    : accepted
}

/** The position, or the shares of a pair. Throws `POSITION_NOT_FOUND`, `POSITION_NOT_OWNED`, `VALIDATION_FAILED`. */
export async function ownedLiquidity(
  chain: Chain,
  { positionId, version }: RemovableKey,
  context: Pick<WriteContext, 'liquidity' | 'wallet'>,
  alongside?: Alongside,
): Promise<Position | PairShare> {
  if (version !== 'v2') {
    const position = await ownPosition(chain, { version, positionId }, context, alongside)
    if (position.liquidity === 0n) throw refuseClosed(position)
    return position
  }
  if (!isAddress(positionId)) throw new TypeError('the schema lets only addresses through')
  const share = await context.liquidity.pairShare(chain, positionId, context.wallet.address, alongside)
  if (share.shares === 0n) throw new ToolError('POSITION_NOT_FOUND', 'The agent wallet holds no shares of this pair.')
  return share
}

type RemovableKey = { readonly positionId: string; readonly version: 'v2' | 'v3' | 'v4' }
