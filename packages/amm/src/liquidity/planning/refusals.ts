import type { AmmDeployment, Chain } from '@svc/wallet/core'
import { ToolError } from '../../tool-error.ts'

/** A `VALIDATION_FAILED` naming one member of the request and what it takes. */
export function refuseField(field: string, message: string, accepted: string): ToolError {
  return new ToolError('VALIDATION_FAILED', `${field}: ${message}`, { details: [{ field, message, accepted }] })
}

/** An `AMOUNT_TOO_SMALL` naming the member whose amount buys, moves or pays out nothing. */
export function refuseTooSmall(field: string, message: string): ToolError {
  return new ToolError('AMOUNT_TOO_SMALL', `${field}: ${message}`, { details: [{ field, message }] })
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
