import type { AmmDeployment, Chain } from '@svc/wallet/core'
import type { Position } from '../../ports.ts'
import { ToolError } from '../../tool-error.ts'

/** A `VALIDATION_FAILED` naming one member of the request and what it takes. */
export function refuseField(field: string, message: string, accepted: string): ToolError {
  return new ToolError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message, accepted }] })
}

/** An `AMOUNT_TOO_SMALL` naming the member whose amount buys, moves or pays out nothing. */
export function refuseTooSmall(field: string, message: string): ToolError {
  return new ToolError('AMOUNT_TOO_SMALL', `${field}: ${message}`, { details: [{ field, message }] })
}

/** The refusal of what only a position with liquidity can do. */
export function refuseClosed(position: ClosedPosition & Pick<Position, 'fees0' | 'fees1'>): ToolError {
  const hasFees = position.fees0 > 0n || position.fees1 > 0n
  const next = hasFees ? 'collect_fees pays what waits in it' : 'nothing waits in it'
  return refuseField('positionId', `${closed(position)}; ${next}.`, ofOpenPositions)
}

/** The refusal of a position that is owed nothing, with what to do: of a closed one nothing will ever be. */
export function nothingToCollect(position: ClosedPosition & Pick<Position, 'liquidity'>): ToolError {
  if (position.liquidity > 0n) {
    const message = `Position ${position.positionId} has earned no fees that are not collected.`
    return new ToolError('NOTHING_TO_COLLECT', message)
  }
  return new ToolError('NOTHING_TO_COLLECT', `${closed(position)}; nothing waits in it.`, {
    suggestion: `Name ${ofOpenPositions}. add_liquidity opens another, increase_liquidity this one again in its old range.`,
  })
}

type ClosedPosition = Pick<Position, 'positionId'>

/** In the same words whatever was asked of it. */
function closed({ positionId }: ClosedPosition): string {
  return `Position ${positionId} is closed: its liquidity was taken out before`
}

const ofOpenPositions = 'a position that holds liquidity; get_positions_by_owner lists them'

/** Where a part of the AMM stands on the chain. Throws `VERSION_NOT_DEPLOYED`. */
export function requireDeployment<Part extends keyof AmmDeployment>(
  chain: Chain,
  part: Part,
): NonNullable<AmmDeployment[Part]> {
  const deployment = chain.amm[part]
  if (deployment) return deployment
  const name = part === 'universalRouter' ? 'the universal router' : part
  const message = `On ${chain.name} ${name} is not deployed.`
  const detail =
    part === 'universalRouter'
      ? { field: 'chain', message }
      : { field: 'version', message, accepted: versions.filter((version) => chain.amm[version]) }
  throw new ToolError('VERSION_NOT_DEPLOYED', message, { details: [detail] })
}

const versions = ['v2', 'v3', 'v4'] as const
