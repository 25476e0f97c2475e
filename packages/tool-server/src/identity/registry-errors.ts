import { type Chain, identityRegistries, WalletError } from '@svc/wallet/core'
import { type ErrorCode, type ErrorDetail, ToolError } from '@svc/amm'
import { registryOf } from '@svc/engine'

/** A chain in whose registry nothing is registered from here, with those where something is. */
export function unsupportedChain(chain: Chain, chains: readonly Chain[]): ToolError {
  const supported = chains.filter((one) => registryOf(one) !== null).map(({ name }) => name)
  const known = Object.hasOwn(identityRegistries, chain.id) ? (identityRegistries[chain.id]?.identity ?? null) : null
  const message = `${chain.name} has no identity registry that this server calls.`
  const override =
    known === null
      ? ''
      : ` A registry is known at ${known}: the operator can switch it on as identityRegistry in the file of SVC_CHAINS_FILE.`
  return new ToolError('VALIDATION_CHAIN_NOT_SUPPORTED', message, {
    details: [{ field: 'chain', message, accepted: supported, knownRegistry: known }],
    suggestion: `Use ${supported.join(', ') || 'another server'}.${override}`,
  })
}

/** Runs work of the wallet package and tells its failures in codes of this server. */
export async function withToolErrors<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof WalletError ? toolErrorOf(error) : error
  }
}

function toolErrorOf(error: WalletError): ToolError {
  const { code, message, cause } = error
  // What the endpoint did is known more exactly below.
  if (cause instanceof ToolError) return cause
  const own = codes.get(code)
  if (own === undefined)
    return new ToolError('INTERNAL', 'The identity registry could not be worked with.', { cause: error })
  return new ToolError(own, message, { details: fieldsOf(error), cause: error })
}

/** Those of a caller's mistakes name the fields of the agent card. */
function fieldsOf({ details: { fields } }: WalletError): readonly ErrorDetail[] {
  if (!Array.isArray(fields)) return []
  return fields.flatMap((refused: unknown) => {
    if (typeof refused !== 'object' || refused === null || !('field' in refused) || !('accepted' in refused)) return []
    const [field, accepted] = [String(refused.field), String(refused.accepted)]
    return [{ field, message: `Accepted: ${accepted}`, accepted }]
  })
}

const codes: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['VALIDATION_CARD_INVALID', 'VALIDATION_FAILED'],
  ['VALIDATION_CONFIG_INVALID', 'VALIDATION_FAILED'],
  ['VALIDATION_PINNING_JWT_MISSING', 'VALIDATION_PINNING_JWT_MISSING'],
  ['AGENT_NOT_FOUND', 'AGENT_NOT_FOUND'],
  ['REGISTRY_NOT_DEPLOYED', 'REGISTRY_NOT_DEPLOYED'],
  ['VALIDATION_REGISTRY_ABI_UNKNOWN', 'REGISTRY_NOT_DEPLOYED'],
  ['RPC_UNAVAILABLE', 'RPC_UNAVAILABLE'],
  ['RPC_CHAIN_MISMATCH', 'RPC_CHAIN_MISMATCH'],
])
