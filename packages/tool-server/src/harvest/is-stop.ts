import type { ErrorCode, ToolError } from '@svc/amm'

/**
 * Whether a failure would meet whatever comes next as well: an endpoint, a store or a signer that does not answer, a switch, a
 * transaction that is out. Nothing further is tried then; the same call goes on once it has passed.
 */
export function isStop({ code }: ToolError): boolean {
  return stops.has(code)
}

const stops: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RPC_UNAVAILABLE',
  'RPC_TIMEOUT',
  'RPC_STALE',
  'RPC_CHAIN_MISMATCH',
  'RPC_REFUSED',
  'STORAGE_UNAVAILABLE',
  'SERVER_BUSY',
  'SERVER_PAUSED',
  'CIRCUIT_BREAKER_OPEN',
  'POLICY_INVALID',
  'PRINCIPAL_NOT_GRANTED',
  'WALLET_BUSY',
  'CANCELLED',
  'CANCELLED_BY_OPERATOR',
  'OPERATION_IN_DOUBT',
  'OPERATION_INCOMPLETE',
  'OPERATION_LIMIT',
  'SIMULATION_UNAVAILABLE',
  'SIGNER_UNAVAILABLE',
  'SIGNER_REFUSED',
  'SIGNER_UNAUTHORIZED',
  'TRANSACTION_NOT_SENT',
  'TRANSACTION_PENDING',
  'RESULT_UNREADABLE',
  'INTERNAL',
])
