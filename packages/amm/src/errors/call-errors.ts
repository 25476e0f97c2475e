import { type ErrorRow, row } from './error-row.ts'

/** Codes of the pipeline of a call, and of requests that are no call yet. */
export const callErrors = {
  // the pipeline of a call
  AUTHENTICATION_REQUIRED: row(
    401,
    false,
    'Send a valid key or token as "Authorization: Bearer <it>". A token that is refused is got anew: by signing in, or from its issuer for this very server.',
  ),
  SIGN_IN_REFUSED: row(401, false, 'Ask /mcp for a new challenge, sign it with that wallet and post it at once.'),
  CLOCK_OFF: row(503, true, 'Tell the operator: the clocks of the server and of the chain are minutes apart.'),
  INSUFFICIENT_KEY_TIER: row(
    403,
    false,
    'Use a key whose tier covers this tool, or a token that was granted its scope, or a tool that tools/list shows.',
  ),
  PRINCIPAL_REVOKED: row(403, false, 'Ask again with a key in force; what the old key stored is not carried out.'),
  TOOL_NOT_FOUND: row(404, false, 'Call tools/list for the tools of this server.'),
  TOOL_NOT_IN_PROFILE: row(
    404,
    false,
    'Call tools/list for the tools of this profile, or start the server with another.',
  ),
  VALIDATION_FAILED: row(400, false, 'Correct the fields named in details and call again.'),
  RATE_LIMITED: row(429, true, 'Wait for the time that Retry-After names, then call again.'),
  SERVER_BUSY: row(503, true, 'Call again in a moment.'),
  SESSION_LIMIT: row(503, true, 'Close sessions you no longer use, or try again later.'),
  IDEMPOTENCY_CONFLICT: row(409, false, 'Use a new key, or the very same arguments again to get the first answer.'),
  OPERATION_IN_DOUBT: row(
    409,
    false,
    'It is not known what the call did. Look its transactions up with get_transaction_status, then use a new key.',
  ),
  OPERATION_ENDED: row(
    409,
    false,
    'An earlier call with this idempotencyKey did not come to its own end; what it signed is decided by now, as message and details say.',
  ),
  CANCELLED: row(499, true, 'Nothing was signed. Call again and wait for the answer.'),
  INTERNAL: row(500, true, 'Call again; if it happens again, give the correlation id to the operator.'),
  // requests that are no call yet
  HOST_NOT_ALLOWED: row(
    403,
    false,
    'Use the address the server was configured for, or add the name to SVC_ALLOWED_HOSTS.',
  ),
  ORIGIN_NOT_ALLOWED: row(403, false, 'The operator can add the origin to SVC_ALLOWED_ORIGINS.'),
  PROXY_REQUIRED: row(403, false, 'Reach the server over https through its edge proxy.'),
  ROUTE_NOT_FOUND: row(404, false, 'The MCP endpoint is /mcp.'),
  METHOD_NOT_ALLOWED: row(405, false, 'Use a method that the Allow header names.'),
  PAYLOAD_TOO_LARGE: row(413, false, 'Send at most 256 KiB.'),
  MEDIA_TYPE_NOT_SUPPORTED: row(415, false, 'Send uncompressed application/json in UTF-8.'),
  HEADERS_TOO_LARGE: row(431, false, 'Send at most 100 header fields, what proxies add included.'),
} as const satisfies Record<string, ErrorRow>
