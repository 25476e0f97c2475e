import { openReads, parsePolicy } from '@svc/engine/policy'
import { chainAccess } from '@svc/tool-server'
import { type HeldPositions, readHeldPositions } from '@svc/tool-server/operator-status'
import type { Chain } from '@svc/wallet/core'
import { type Address, isAddress } from 'viem'
import { printable } from '../policy/policy-place.ts'
import { readServerSettings } from '../server-settings.ts'
import { table } from '../table.ts'
import { UsageError } from '../usage-error.ts'

/**
 * What the wallet of a server has in pools now, on the chains for which the settings name an endpoint. A chain that does not answer is
 * said to be unread. Throws `UsageError` where no wallet is named.
 */
export async function readPositionsOf(
  dataDir: string | undefined,
  given: string | undefined,
  environment: Readonly<Record<string, string | undefined>>,
): Promise<HeldPositions> {
  const { config, worldChains, wallet } = await readServerSettings(dataDir, environment)
  const owner = ownerOf(given, wallet?.address ?? null)
  const { liquidity } = openReads(chainAccess(config), {
    memory: null,
    policy: () => parsePolicy({}, { production: config.production }),
  })
  const isNamed = ({ id }: Chain) => config.rpc.urls.has(id) || worldChains?.ids.has(id) === true
  return readHeldPositions({ liquidity, chains: config.chains.filter(isNamed), owner })
}

/** As lines for a terminal. */
export function heldLines({ owner, items, unread }: HeldPositions): readonly string[] {
  const rows = items.map(({ chain, version, positionId, pair, amount0, amount1, place }) =>
    [chain, version, positionId, pair, amount0, amount1, placeText(place)].map((cell) => printable(cell)),
  )
  const header = ['CHAIN', '', 'POSITION', 'PAIR', 'AMOUNT0', 'AMOUNT1', 'PRICE IN RANGE']
  const shown = rows.length === 0 ? ['None.'] : [table([header, ...rows], { alignRight: [4, 5] }).trimEnd()]
  const missing = unread.length === 0 ? [] : [`Not all is read of: ${unread.join(', ')}`]
  return ['', `Positions of ${owner}:`, ...shown, ...missing]
}

/** The range from end to end, and where the price stands in it. */
function placeText(place: number | null): string {
  if (place === null) return 'all prices'
  if (place < 0 || place >= 1) return place < 0 ? '<[..........]  out, below' : ' [..........]> out, above'
  const at = Math.floor(place * 10)
  return ` [${'.'.repeat(at)}|${'.'.repeat(9 - at)}]`
}

function ownerOf(given: string | undefined, known: Address | null): Address {
  if (given !== undefined && !isAddress(given)) throw new UsageError('--wallet takes the address of the wallet')
  const owner = given ?? known
  if (owner === null)
    throw new UsageError('Name the wallet with --wallet ADDRESS: the settings name none whose address is known here.')
  return owner
}
