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
export function refuseClosed({ fees0, fees1 }: Pick<Position, 'fees0' | 'fees1'>): ToolError {
  const next = fees0 > 0n || fees1 > 0n ? 'collect_fees pays what waits in it' : 'nothing waits in it'
  return refuseField(
    'positionId',
    `This position is closed: its liquidity was taken out before; ${next}.`,
    'a position that holds liquidity; get_positions_by_owner lists them',
  )
}

/** The refusal of a position that is owed nothing, with what to do: of a closed one nothing will ever be. */
export function nothingToCollect({ positionId, liquidity }: Pick<Position, 'positionId' | 'liquidity'>): ToolError {
  if (liquidity > 0n) {
    return new ToolError('NOTHING_TO_COLLECT', `Position ${positionId} has earned no fees that are not collected.`)
  }
  const message = `Position ${positionId} is closed: all its liquidity was taken out and all was paid, so it earns nothing.`
  const suggestion =
    'Name a position of get_positions_by_owner, which lists the open ones. add_liquidity opens another, increase_liquidity this one again in its old range.'
  return new ToolError('NOTHING_TO_COLLECT', message, { suggestion })
}

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
