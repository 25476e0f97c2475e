import { type ErrorRow, row } from './error-row.ts'

/** Codes of the pipeline of a transaction, of what waits for it, and of the wallet. */
export const transactionErrors = {
  // the transaction pipeline
  WALLET_NOT_CONFIGURED: row(503, false, 'Configure a wallet; check_setup_health says what is missing.'),
  SERVER_PAUSED: row(503, true, 'Wait until the operator resumes; check_safety_status says since when.'),
  NOT_LEADER: row(
    503,
    true,
    'Call the server that leads. This one answers reads, and takes writes by itself once that one has ended.',
  ),
  CIRCUIT_BREAKER_OPEN: row(
    503,
    false,
    'The circuit breaker has tripped; the operator must re-arm it. check_safety_status says why, and whether liquidity can still be removed.',
  ),
  POLICY_INVALID: row(
    503,
    false,
    'The operator must fix policy.json (`svc policy check` names what is wrong); nothing is signed until then.',
  ),
  PRINCIPAL_NOT_GRANTED: row(403, false, 'Use a tool that the policy grants to this caller; the operator can add it.'),
  CONTRACT_NOT_ALLOWED: row(403, false, 'The policy does not allow this contract.'),
  TOKEN_NOT_ALLOWLISTED: row(
    403,
    false,
    'The policy does not list this token; the operator can add it with svc policy add-token.',
  ),
  RECIPIENT_NOT_ALLOWED: row(403, false, 'Funds may only go to the agent wallet and to recipients the policy lists.'),
  SPENDER_NOT_ALLOWED: row(
    403,
    false,
    'Name one of the spenders in details; the operator can list others in the policy.',
  ),
  SIGNATURE_NOT_ALLOWED: row(
    403,
    false,
    'Only transactions, exact Permit2 allowances and a few other kinds of data are signed, each for a call that needs it.',
  ),
  SLIPPAGE_TOO_HIGH: row(403, false, 'Lower slippageBps to at most the cap of the policy.'),
  DEADLINE_TOO_LONG: row(403, false, 'Use a deadline within the cap of the policy.'),
  UNSAFE_TRANSACTION: row(403, false, 'The transaction would do more than it declares and was not signed.'),
  ATOMIC_EXECUTION_UNAVAILABLE: row(
    409,
    false,
    'The wallet cannot do this in one transaction; use the single tools one after another.',
  ),
  SPENDING_LIMIT_EXCEEDED: row(
    403,
    false,
    'Lower the amount or wait until the window frees up; check_safety_status shows what is left.',
  ),
  VALUE_LOSS_EXCEEDED: row(
    403,
    false,
    'What the slippage lets come back is worth less than the policy lets a call lose. Lower slippageBps, trade less, use a deeper pool, or wait for the pool to follow the market.',
  ),
  POOL_PRICE_OFF_MARKET: row(
    403,
    false,
    'Do not deposit while the pool is off the market: choose another pool, wait until it follows, or for a new pool give amounts at the market price.',
  ),
  PRICE_IMPACT_EXCEEDED: row(403, false, 'Trade a smaller amount, in parts over time, or through a deeper pool.'),
  APPROVAL_REQUIRED: row(
    403,
    false,
    'A person must approve a transaction of this size; lower the amount or ask the operator.',
  ),
  APPROVAL_DENIED: row(403, false, 'A person has said no to this operation; do not ask for the same again.'),
  APPROVAL_STATE_INVALID: row(
    400,
    false,
    'Call again without requestState and inputResponses; the person is asked anew.',
  ),
  DELAY_REQUIRED: row(
    403,
    false,
    'The policy delays calls of this risk tier for longer than this one has waited; call the tool again.',
  ),
  SIMULATION_FAILED: row(400, false, 'Nothing was signed; details say why. Look with get_quote or get_position.'),
  SIMULATION_UNAVAILABLE: row(503, false, 'The endpoint cannot simulate, and nothing is signed without a simulation.'),
  POSITION_TOO_NEW: row(409, true, 'Wait for as long as the message says, then call the same again.'),
  SIMULATION_DRIFT: row(409, true, 'The chain moved between plan and signing. Call again for a fresh plan.'),
  TRANSACTION_REVERTED: row(
    502,
    false,
    'The transaction was mined and reverted; only its fee was spent. Call again for a fresh plan.',
  ),
  TRANSACTION_PENDING: row(
    504,
    false,
    'The transaction is out but not confirmed. Follow it with get_transaction_status; do not send it again.',
  ),
  WALLET_BUSY: row(
    409,
    true,
    'Nothing of this call was signed. Follow the earlier transaction with get_transaction_status, then call again.',
  ),
  TRANSACTION_NOT_SENT: row(
    502,
    true,
    'Nothing was signed, or another transaction has taken the place of this one, which is never mined. Call again.',
  ),
  CANCELLED_BY_OPERATOR: row(
    403,
    false,
    'The operator took the transaction back, and it is never mined. Do not ask for the same again unless the operator says so.',
  ),
  OPERATION_INCOMPLETE: row(
    502,
    false,
    'Look the transactions in details up with get_transaction_status before anything else; do not call again for the same purpose.',
  ),
  RESULT_UNREADABLE: row(
    502,
    false,
    'Look the transactions in details up with get_transaction_status; do not call again for the same purpose.',
  ),
  OPERATION_LIMIT: row(
    403,
    true,
    'Wait until some of yours are decided or carried out, cancel one with cancel_operation (list_operations shows them), or ask the operator to decide or to raise approvals.maxWaiting.',
  ),
  OPERATION_NOT_FOUND: row(404, false, 'Call list_operations for the operations of this key.'),
  WATCH_NOT_FOUND: row(404, false, 'list_watches shows the watches of this key.'),
  WATCH_LIMIT: row(409, false, 'Cancel one with cancel_watch; list_watches shows them.'),
  MEMORY_NOT_FOUND: row(404, false, 'manage_insight with action list shows the ids of insights.'),
  OPERATION_EXPIRED: row(410, false, 'Call the tool again for a new plan.'),
  OPERATION_CHANGED: row(409, false, 'Look at the operation with get_operation and use its own plan hash.'),
  OPERATION_STATE: row(409, false, 'get_operation shows what became of it; nothing is done twice.'),
  SIGNER_UNAVAILABLE: row(503, true, 'The wallet provider does not sign now, and nothing was sent. Call again later.'),
  SIGNER_REFUSED: row(
    403,
    false,
    "The managed wallet's own policy at its provider refuses this. The operator can change it there.",
  ),
  SIGNER_UNAUTHORIZED: row(503, false, 'The operator must correct the credentials of the managed wallet.'),
  STORAGE_UNAVAILABLE: row(503, true, 'The state store cannot be written, and nothing is signed without it.'),
} as const satisfies Record<string, ErrorRow>
